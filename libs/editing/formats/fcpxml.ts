import { xmlText } from '@adit/ooxml';
import type { EditFormat } from '../edit-format.js';
import type { EditEvent, EditSource } from '../edit-list.js';
import { isSameRate, type EditRate } from '../edit-rate.js';
import { nameOf, noteOf, oneLine } from '../shown.js';
import { urlOf } from './media-url.js';
import { recordStart } from './timecodes.js';

const NO_SIZE = { width: 1920, height: 1080 };

/**
 * A project of Final Cut Pro (FCPXML 1.9), which Resolve reads too: each event a clip with a marker, times as fractions of seconds
 * that are whole frames.
 */
export const fcpxml: EditFormat<'fcpxml'> = {
  name: 'fcpxml',
  mimeType: 'application/xml',
  extension: 'fcpxml',
  layout: 'put together',
  mixesRates: true,
  needsSource: true,
  passes: 1,
  async *write(list) {
    const { title, rate, sources } = list;
    const name = xmlText(oneLine(title));
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.9">\n<resources>\n';
    yield formatOf('r1', rate, sources.find(({ size }) => size !== null)?.size ?? NO_SIZE);
    for (const source of sources) {
      yield formatOf(`f${source.index}`, source.rate, source.size ?? NO_SIZE);
      yield assetOf(source);
    }
    yield `</resources>\n<library><event name="${name}"><project name="${name}">`;
    yield `<sequence format="r1" tcStart="${seconds(recordStart(list), rate)}" tcFormat="${tcFormat(rate)}"><spine>\n`;
    let record = recordStart(list);
    for await (const event of list.events()) {
      const length = recordLength(event, rate);
      yield clipOf(event, record, length, rate);
      record += length;
    }
    yield '</spine></sequence></project></event></library>\n</fcpxml>\n';
  },
};

/** Frames of the sequence that an event takes there: a clip of another rate is as long in time, to the nearest frame. */
function recordLength({ source, start, end }: EditEvent, rate: EditRate): number {
  const { num, den } = source.rate.fps;
  return Math.max(1, Math.round(((end - start) * den * rate.fps.num) / (num * rate.fps.den)));
}

function clipOf(event: EditEvent, record: number, length: number, rate: EditRate): string {
  const { source, start } = event;
  const from = seconds(source.firstFrame + start, source.rate);
  const name = xmlText(nameOf(event));
  return (
    `<asset-clip ref="a${source.index}" offset="${seconds(record, rate)}" name="${name}" start="${from}" ` +
    `duration="${seconds(length, rate)}" format="f${source.index}" tcFormat="${tcFormat(source.rate)}">` +
    `${isSameRate(source.rate, rate) ? '' : conform(source.rate)}<marker start="${from}" duration="${seconds(1, source.rate)}" value="${name}" note="${xmlText(noteOf(event))}"/></asset-clip>\n`
  );
}

/** Time stays as it is; frames are shown as long as the sequence's. */
function conform({ fps }: EditRate): string {
  return `<conform-rate scaleEnabled="0" srcFrameRate="${Number((fps.num / fps.den).toFixed(2))}"/>`;
}

function assetOf(source: EditSource): string {
  const { index, name, location, firstFrame, length, rate, size, hasSound } = source;
  const has = `${size === null ? '' : ' hasVideo="1" videoSources="1"'}${hasSound ? ' hasAudio="1" audioSources="1" audioChannels="2"' : ''}`;
  return (
    `<asset id="a${index}" name="${xmlText(oneLine(name))}" start="${seconds(firstFrame, rate)}" ` +
    `duration="${seconds(length, rate)}" format="f${index}"${has}>` +
    `<media-rep kind="original-media" src="${xmlText(urlOf(location))}"/></asset>\n`
  );
}

function formatOf(id: string, rate: EditRate, { width, height }: { width: number; height: number }): string {
  return `<format id="${id}" frameDuration="${seconds(1, rate)}" width="${width}" height="${height}"/>\n`;
}

/** Frames as a fraction of seconds, e.g. 1001/30000s; a whole number of frames at any rate. */
function seconds(frames: number, { fps: { num, den } }: EditRate): string {
  return frames === 0 ? '0s' : `${frames * den}/${num}s`;
}

function tcFormat({ dropFrame }: EditRate): string {
  return dropFrame ? 'DF' : 'NDF';
}
