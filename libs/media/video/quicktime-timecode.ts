import { open, type FileHandle } from 'node:fs/promises';
import { formatTimecode, parseTimecode } from '@adit/contracts';

/** A box (ISO/IEC 14496-12, 4.2): its type, and the position of its content in the file. */
interface Box {
  type: string;
  from: number;
  end: number;
}

/**
 * Number of boxes of one level that are searched; a film has some ten, a fragmented one more, with its index in front.
 */
const MAX_BOXES = 1000;
/** Edits that may precede a track's first picture. */
const MAX_EDITS = 16;

/** Counting of a timecode track (QuickTime File Format, timecode media). */
interface TimecodeTrack {
  perSecond: number;
  nominal: number;
  dropFrame: boolean;
}

/** Beginning of a track in its film and in its own media, in seconds. */
interface Beginning {
  film: number;
  media: number;
}

/**
 * Returns the timecode of a QuickTime film's first picture: the first number of its timecode track (`stated`), moved by
 * the edit lists of that track and of the pictures, as trimming leaves them. Returns `stated` where there are no edits.
 */
export async function editedTimecode(path: string, stated: string, stream: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const movie = (await boxesOf(file, { type: '', from: 0, end: (await file.stat()).size })).find(isOf('moov'));
    if (movie === undefined) return stated;
    const parts = await boxesOf(file, movie);
    const filmScale = await scaleOf(file, parts.find(isOf('mvhd')));
    const tracks = await Promise.all(parts.filter(isOf('trak')).map((box) => trackOf(file, box, filmScale)));
    const pictures = [tracks[stream], ...tracks].find((track) => track?.kind === 'vide');
    const codes = tracks.find((track) => track?.kind === 'tmcd');
    const counted = codes?.counted ?? null;
    if (!pictures || !codes || counted === null) return stated;
    const seconds = codes.begins.media + pictures.begins.film - codes.begins.film;
    // The clock rounds; a picture cut in its middle has its own number.
    const numbers = Math.floor(seconds * counted.perSecond + 0.01);
    return numbers === 0 ? stated : moved(stated, numbers, counted);
  } finally {
    await file.close();
  }
}

function moved(stated: string, numbers: number, { nominal, dropFrame }: TimecodeTrack): string {
  const rate = { nominal, dropFrame };
  try {
    return formatTimecode(parseTimecode(stated, rate) + numbers, rate);
  } catch {
    // A timecode that is invalid at its track's rate stays invalid when moved.
    return stated;
  }
}

async function trackOf(
  file: FileHandle,
  track: Box,
  filmScale: number,
): Promise<{ kind: string; begins: Beginning; counted: TimecodeTrack | null } | null> {
  const parts = await boxesOf(file, track);
  const media = parts.find(isOf('mdia'));
  if (media === undefined) return null;
  const inner = await boxesOf(file, media);
  const handler = inner.find(isOf('hdlr'));
  const kind = handler === undefined ? '' : (await read(file, handler, 12)).toString('latin1', 8, 12);
  if (kind !== 'vide' && kind !== 'tmcd') return null;
  const scale = await scaleOf(file, inner.find(isOf('mdhd')));
  const edits = await inside(file, parts.find(isOf('edts')), 'elst');
  const begins = await beginningOf(file, edits, { film: filmScale, media: scale });
  return { kind, begins, counted: kind === 'tmcd' ? await countedIn(file, inner.find(isOf('minf'))) : null };
}

/** Returns the beginning of a track; 0 without edits. */
async function beginningOf(
  file: FileHandle,
  edits: Box | undefined,
  scale: { film: number; media: number },
): Promise<Beginning> {
  const none = { film: 0, media: 0 };
  if (edits === undefined || scale.film === 0 || scale.media === 0) return none;
  const bytes = await read(file, edits, 8 + MAX_EDITS * 20);
  if (bytes.length < 8) return none;
  const isLong = bytes.readUInt8(0) === 1;
  const size = isLong ? 20 : 12;
  const count = Math.min(bytes.readUInt32BE(4), Math.floor((bytes.length - 8) / size));
  let film = 0;
  for (let at = 0; at < count; at++) {
    const from = 8 + at * size;
    const duration = isLong ? Number(bytes.readBigUInt64BE(from)) : bytes.readUInt32BE(from);
    const media = isLong ? Number(bytes.readBigInt64BE(from + 8)) : bytes.readInt32BE(from + 4);
    // An empty edit delays the beginning of the track.
    if (media >= 0) return { film, media: media / scale.media };
    film += duration / scale.film;
  }
  return none;
}

async function countedIn(file: FileHandle, information: Box | undefined): Promise<TimecodeTrack | null> {
  const table = await inside(file, information, 'stbl');
  const entries = await inside(file, table, 'stsd');
  if (entries === undefined) return null;
  // The first entry follows version and count: size, type, 8 bytes of every entry, 4 reserved; then flags, scale,
  // duration, numbers.
  const bytes = await read(file, entries, 8 + 33);
  if (bytes.length < 41 || bytes.toString('latin1', 12, 16) !== 'tmcd') return null;
  const [flags, scale, duration] = [28, 32, 36].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
  const nominal = bytes.readUInt8(40);
  if (scale === 0 || duration === 0 || nominal === 0) return null;
  return { perSecond: scale / duration, nominal, dropFrame: (flags & 1) !== 0 };
}

/** Returns the ticks per second of a movie's or a track's header; 0 where it has none. */
async function scaleOf(file: FileHandle, header: Box | undefined): Promise<number> {
  if (header === undefined) return 0;
  const bytes = await read(file, header, 24);
  const at = bytes.length > 0 && bytes.readUInt8(0) === 1 ? 20 : 12;
  return bytes.length < at + 4 ? 0 : bytes.readUInt32BE(at);
}

async function inside(file: FileHandle, box: Box | undefined, type: string): Promise<Box | undefined> {
  return box === undefined ? undefined : (await boxesOf(file, box)).find(isOf(type));
}

/** Returns the boxes in another one, or in the file, in order; those behind a broken one are not found. */
async function boxesOf(file: FileHandle, { from, end }: Box): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= end && boxes.length < MAX_BOXES;) {
    const head = await read(file, { type: '', from: at, end }, 16);
    if (head.length < 8) break;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const size = short === 0 ? end - at : isLong ? Number(head.readBigUInt64BE(8)) : short;
    const inner = isLong ? 16 : 8;
    if (size < inner || at + size > end) break;
    boxes.push({ type: head.toString('latin1', 4, 8), from: at + inner, end: at + size });
    at += size;
  }
  return boxes;
}

/** Reads at most `most` bytes at the beginning of a box. */
async function read(file: FileHandle, { from, end }: Box, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(most, end - from));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.subarray(0, bytesRead);
}

function isOf(type: string): (box: Box) => boolean {
  return (box) => box.type === type;
}
