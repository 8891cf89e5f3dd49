import { framesPerDay, parseTimecode } from '@adit/contracts';
import type { EditRate } from '../edit-rate.js';
import { all, at, xmlTree, type XmlElement } from './xml-tree.js';

/** An event as a reader of the format understands it, in frames; the source's counted from 00:00:00:00. */
export interface ReadEvent {
  source: string;
  start: number;
  end: number;
  /** Start in the sequence; null if events stay in place. */
  record: number | null;
}

/** Readers of what the formats say of themselves, written apart from what writes them; they are told the rate of the sequence. */
export const READERS = { ale, edl, resolve_edl: edl, fcp7xml, fcpxml, otio, avid_markers: avidMarkers };

/** Sections of a log by their name, each line in fields. */
function aleSections(text: string): Map<string, string[][]> {
  const sections = new Map<string, string[][]>();
  let lines: string[][] = [];
  for (const line of text.split('\n')) {
    if (['Heading', 'Column', 'Data'].includes(line)) sections.set(line, (lines = []));
    else if (line !== '') lines.push(line.split('\t'));
  }
  return sections;
}

function ale(text: string, rate: EditRate): ReadEvent[] {
  const sections = aleSections(text);
  const heading = new Map(sections.get('Heading')?.map(([name = '', value = '']) => [name, value]));
  const fps = Number(heading.get('FPS'));
  if (Math.abs(fps - rate.fps.num / rate.fps.den) > 0.0005) throw new Error(`The log has ${fps} frames a second.`);
  if (heading.get('FIELD_DELIM') !== 'TABS') throw new Error('The log has other delimiters.');
  const columns = sections.get('Column')?.[0] ?? [];
  return (sections.get('Data') ?? []).map((row) => {
    if (row.length !== columns.length) throw new Error(`${row.join('|')} has ${row.length} fields.`);
    const field = (name: string): string => row[columns.indexOf(name)] ?? '';
    const [start = NaN, end = NaN, length = NaN] = ['Start', 'End', 'Duration'].map((name) => {
      if (field(name).includes(';') !== rate.dropFrame) throw new Error(`${field(name)} counts otherwise.`);
      return parseTimecode(field(name), rate);
    });
    if (lengthOf(start, end, rate) !== length) throw new Error(`${row.join('|')}: the two lengths differ.`);
    return { source: field('Tape'), start, end: start + length, record: null };
  });
}

const EVENT = /^(\d{3,})  (\S+) +\S+ +C +(\S+) (\S+) (\S+) (\S+)$/;

function edl(text: string, rate: EditRate): ReadEvent[] {
  const drop = /^FCM: DROP FRAME$/m.test(text);
  if (drop !== rate.dropFrame) throw new Error('FCM says otherwise.');
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const [, , reel = '', ...codes] = EVENT.exec(line) ?? [];
    if (codes.length === 0) return [];
    const [start = NaN, end = NaN, record = NaN, recordEnd = NaN] = codes.map((code) => parseTimecode(code, rate));
    const length = lengthOf(start, end, rate);
    if (length !== lengthOf(record, recordEnd, rate)) throw new Error(`${line}: the two lengths differ.`);
    const [, longer] = / \|D:(\d+)$/.exec(lines[index + 1] ?? '') ?? [];
    const isMarker = longer !== undefined;
    const frames = isMarker ? Number(longer) : length;
    return [{ source: isMarker ? '' : reel, start, end: start + frames, record: isMarker ? null : record }];
  });
}

/** Over midnight numbers begin anew. */
function lengthOf(start: number, end: number, rate: EditRate): number {
  return end > start ? end - start : end + framesPerDay(rate) - start;
}

const numberAt = (element: XmlElement, ...path: string[]): number => Number(at(element, ...path).text);

function fcp7xml(text: string, rate: EditRate): ReadEvent[] {
  const sequence = at(xmlTree(text), 'sequence');
  const files = new Map(
    all(sequence, 'file').flatMap((file) => (file.children.length > 0 ? [[file.attributes['id'], file]] : [])),
  );
  const begin = numberAt(sequence, 'timecode', 'frame');
  const { text: shown } = at(sequence, 'timecode', 'string');
  if (parseTimecode(shown, rate) !== begin) throw new Error(`${shown} is not frame ${begin}.`);
  const ntsc = at(sequence, 'rate', 'ntsc').text === 'TRUE';
  const fps = (numberAt(sequence, 'rate', 'timebase') * (ntsc ? 1000 : 1001)) / 1001;
  if (Math.abs(fps - rate.fps.num / rate.fps.den) > 1e-9) throw new Error(`The sequence has ${fps} frames a second.`);
  const isSound = all(at(sequence, 'media', 'video'), 'clipitem').length === 0;
  return all(at(sequence, 'media', isSound ? 'audio' : 'video'), 'clipitem').map((clip) => {
    const file = files.get(at(clip, 'file').attributes['id']);
    if (file === undefined) throw new Error('A file is named and not described.');
    const first = numberAt(file, 'timecode', 'frame');
    const length = numberAt(clip, 'out') - numberAt(clip, 'in');
    if (numberAt(clip, 'end') - numberAt(clip, 'start') !== length) throw new Error('The two lengths differ.');
    return {
      source: at(file, 'name').text,
      start: first + numberAt(clip, 'in'),
      end: first + numberAt(clip, 'out'),
      record: begin + numberAt(clip, 'start'),
    };
  });
}

function fcpxml(text: string, rate: EditRate): ReadEvent[] {
  const root = xmlTree(text);
  const resources = at(root, 'resources');
  const formats = new Map(all(resources, 'format').map((each) => [each.attributes['id'], each]));
  const assets = new Map(all(resources, 'asset').map((each) => [each.attributes['id'], each]));
  const frameOf = (format: XmlElement | undefined): [number, number] => fraction(format?.attributes['frameDuration']);
  const sequence = at(root, 'library', 'event', 'project', 'sequence');
  const own = frameOf(formats.get(sequence.attributes['format']));
  if (own[0] * rate.fps.num !== own[1] * rate.fps.den) throw new Error('The sequence has another rate.');
  return all(at(sequence, 'spine'), 'asset-clip').map(({ attributes }) => {
    const asset = assets.get(attributes['ref']);
    const rateOfAsset = frameOf(formats.get(asset?.attributes['format']));
    const start = frames(attributes['start'], rateOfAsset);
    const length = frames(attributes['duration'], own);
    return {
      source: asset?.attributes['name'] ?? '',
      start,
      end: start + length,
      record: frames(attributes['offset'], own),
    };
  });
}

function fraction(text: string | undefined): [number, number] {
  const [, num, den = '1'] = /^(\d+)(?:\/(\d+))?s$/.exec(text ?? '') ?? [];
  if (num === undefined) throw new Error(`${text} is no time.`);
  return [Number(num), Number(den)];
}

/** Whole frames, or an error: times of the format are multiples of the frame's. */
function frames(text: string | undefined, [frameNum, frameDen]: [number, number]): number {
  const [num, den] = fraction(text);
  const count = (BigInt(num) * BigInt(frameDen)) / (BigInt(den) * BigInt(frameNum));
  if (count * BigInt(den) * BigInt(frameNum) !== BigInt(num) * BigInt(frameDen))
    throw new Error(`${text} is no frame.`);
  return Number(count);
}

interface OtioTime {
  value: number;
  rate: number;
}
interface OtioClip {
  OTIO_SCHEMA: string;
  source_range: { start_time: OtioTime; duration: OtioTime };
  media_references: { DEFAULT_MEDIA: { name: string } };
}

function otio(text: string, rate: EditRate): ReadEvent[] {
  const timeline = JSON.parse(text) as {
    global_start_time: OtioTime;
    tracks: { children: { children: OtioClip[] }[] };
  };
  if (timeline.global_start_time.rate !== rate.fps.num / rate.fps.den) throw new Error('It has another rate.');
  let record = timeline.global_start_time.value;
  return (timeline.tracks.children[0]?.children ?? []).map(({ source_range: range, media_references: media }) => {
    const start = range.start_time.value;
    const end = start + range.duration.value;
    const event = { source: media.DEFAULT_MEDIA.name, start, end, record };
    record += range.duration.value;
    return event;
  });
}

function avidMarkers(text: string, rate: EditRate): ReadEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, code = '', , , , length] = line.split('\t');
      const start = parseTimecode(code, rate);
      return { source: '', start, end: start + Number(length), record: null };
    });
}
