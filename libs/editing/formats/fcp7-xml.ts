import { formatTimecode } from '@adit/contracts';
import { xmlText } from '@adit/ooxml';
import type { EditFormat } from '../edit-format.js';
import type { EditEvent, EditList, EditSource } from '../edit-list.js';
import type { EditRate } from '../edit-rate.js';
import { nameOf, noteOf, oneLine } from '../shown.js';
import { urlOf } from './media-url.js';
import { recordStart } from './timecodes.js';

/** Size of a sequence of sound alone, because the format requires one. */
const NO_SIZE = { width: 1920, height: 1080 };

/**
 * A sequence of Final Cut Pro 7's XML (xmeml 5), which Premiere, Resolve and Media Composer's importers read: each event a clip with
 * a marker, frames at the sequence's rate, out-points exclusive.
 */
export const fcp7xml: EditFormat<'fcp7xml'> = {
  name: 'fcp7xml',
  mimeType: 'application/xml',
  extension: 'xml',
  layout: 'put together',
  mixesRates: false,
  needsSource: true,
  passes: 2,
  async *write(list) {
    const { title, rate, sources } = list;
    const { width, height } = sources.find(({ size }) => size !== null)?.size ?? NO_SIZE;
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE xmeml>\n<xmeml version="5">\n<sequence id="sequence">';
    yield `<name>${xmlText(oneLine(title))}</name>${rateOf(rate)}${timecodeOf(recordStart(list), rate)}<media>\n<video><format>`;
    yield `<samplecharacteristics>${rateOf(rate)}<width>${width}</width><height>${height}</height></samplecharacteristics></format><track>\n`;
    const written = new Set<number>();
    yield* clips(list, 'video', written);
    yield '</track></video>\n<audio><track>\n';
    yield* clips(list, 'audio', written);
    yield '</track></audio>\n</media></sequence>\n</xmeml>\n';
  },
};

/** The clips of a track; a source is described where it is met for the first time, and named afterwards. */
async function* clips(list: EditList, kind: 'video' | 'audio', written: Set<number>): AsyncGenerator<string> {
  let at = 0;
  let number = 0;
  for await (const event of list.events()) {
    const { source, start, end } = event;
    const from = at;
    at += end - start;
    number += 1;
    if (kind === 'video' ? source.size === null : !source.hasSound) continue;
    const file = written.has(source.index) ? `<file id="file-${source.index}"/>` : fileOf(source);
    written.add(source.index);
    const name = xmlText(nameOf(event));
    yield (
      `<clipitem id="${kind}-${number}"><name>${name}</name><duration>${source.length}</duration>${rateOf(source.rate)}` +
      `<start>${from}</start><end>${at}</end><in>${start}</in><out>${end}</out>${file}` +
      (kind === 'video' ? '' : '<sourcetrack><mediatype>audio</mediatype><trackindex>1</trackindex></sourcetrack>') +
      (kind === 'video' || source.size === null ? markerOf(event) : '') +
      `${linksOf(source, number)}</clipitem>\n`
    );
  }
}

/** Picture and sound of an event are one to the editor. */
function linksOf({ size, hasSound }: EditSource, number: number): string {
  if (size === null || !hasSound) return '';
  const link = (kind: string): string =>
    `<link><linkclipref>${kind}-${number}</linkclipref><mediatype>${kind}</mediatype><trackindex>1</trackindex></link>`;
  return link('video') + link('audio');
}

function fileOf({ index, name, location, rate, firstFrame, length, size, hasSound, tape }: EditSource): string {
  const picture =
    size === null
      ? ''
      : `<video><samplecharacteristics>${rateOf(rate)}<width>${size.width}</width><height>${size.height}</height></samplecharacteristics></video>`;
  const sound = hasSound ? '<audio><channelcount>2</channelcount></audio>' : '';
  return (
    `<file id="file-${index}"><name>${xmlText(oneLine(name))}</name><pathurl>${xmlText(urlOf(location))}</pathurl>` +
    `${rateOf(rate)}<duration>${length}</duration>${timecodeOf(firstFrame, rate, tape)}<media>${picture}${sound}</media></file>`
  );
}

function markerOf(event: EditEvent): string {
  const { start } = event;
  return `<marker><name>${xmlText(nameOf(event))}</name><comment>${xmlText(noteOf(event))}</comment><in>${start}</in><out>-1</out></marker>`;
}

/** 29.97 is 30 with `ntsc`. */
function rateOf({ nominal, fps }: EditRate): string {
  return `<rate><timebase>${nominal}</timebase><ntsc>${fps.den === 1 ? 'FALSE' : 'TRUE'}</ntsc></rate>`;
}

function timecodeOf(frame: number, rate: EditRate, reel?: string): string {
  const named = reel === undefined ? '' : `<reel><name>${xmlText(reel)}</name></reel>`;
  return (
    `<timecode>${rateOf(rate)}<string>${formatTimecode(frame, rate)}</string><frame>${frame}</frame>` +
    `<displayformat>${rate.dropFrame ? 'DF' : 'NDF'}</displayformat>${named}</timecode>`
  );
}
