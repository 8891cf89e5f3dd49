import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { AditError, elementAt } from '@adit/contracts';
import { pdfStart } from './pdf/pdf-start.js';
import { PICTURE_FORMATS } from './formats/pictures/formats.js';
import { RAW_PICTURE, TIFF } from './formats/pictures/tiff.js';
import { FILM_FORMATS } from './formats/films/formats.js';
import { SOUND_FORMATS } from './formats/sounds/formats.js';
import { isLockedWma } from './formats/sounds/wma.js';

interface SniffedMedia {
  kind: 'image' | 'video' | 'audio' | 'pdf' | 'unknown';
  /**
   * Name in `PICTURE_FORMATS`, `FILM_FORMATS` or `SOUND_FORMATS`, or `pdf`; else the presumed format.
   */
  format: string;
}

const PICTURES = PICTURE_FORMATS.map(({ title }) => title);
const SOUNDS = SOUND_FORMATS.map(({ title }) => title);
const FILMS = [...new Set(FILM_FORMATS.map(({ title }) => title))];
export const ACCEPTED_MEDIA = `Accepted are ${new Intl.ListFormat('en-GB').format([...PICTURES, 'PDF', ...FILMS, ...SOUNDS])}.`;

export const SNIFFED_BYTES = 64 << 10;

/** Extensions as file-type names them. An mp4 may hold only sound: the probe decides. */
const KNOWN: Record<string, SniffedMedia> = {
  ...Object.fromEntries(
    PICTURE_FORMATS.flatMap(({ name, sniffedAs }) => sniffedAs.map((each) => [each, { kind: 'image', format: name }])),
  ),
  ...Object.fromEntries(
    SOUND_FORMATS.flatMap(({ name, sniffedAs }) => sniffedAs.map((each) => [each, { kind: 'audio', format: name }])),
  ),
  ...Object.fromEntries(
    FILM_FORMATS.flatMap(({ name, sniffedAs }) => sniffedAs.map((each) => [each, { kind: 'video', format: name }])),
  ),
};

const RAW = ['arw', 'cr2', 'cr3', 'dng', 'nef', 'orf', 'raf', 'rw2'];

/** Common formats that are not mined, with advice. */
const REFUSED: Record<string, string> = {
  ...Object.fromEntries(RAW.map((name) => [name, RAW_PICTURE])),
  heic: 'a HEIC picture: save it as JPEG',
  avif: 'an AVIF picture: save it as PNG or JPEG',
  bmp: 'a BMP picture: save it as PNG',
  psd: 'a Photoshop document: save it as PNG',
  flv: 'an FLV film: rewrite it as MP4',
  asf: 'a Windows Media film: rewrite it as MP4',
  'locked-wma': 'Windows Media sound that is locked to a licence (DRM): save it without one',
  h264: 'bare H.264 video, which has no times: put it into MP4 (ffmpeg -r 25 -i film.h264 -c copy film.mp4)',
  h265: 'bare HEVC video, which has no times: put it into MP4 (ffmpeg -r 25 -i film.h265 -c copy film.mp4)',
};

/** Returns the reason, in a sentence, why a file of another format is not mined. */
export function notMined({ format }: Pick<SniffedMedia, 'format'>): string {
  const named = REFUSED[format];
  return named === undefined
    ? `The file is no media known here (${format}). ${ACCEPTED_MEDIA}`
    : `The file is ${named}. ${ACCEPTED_MEDIA}`;
}

const MIME_TYPES: Record<string, string> = {
  ...Object.fromEntries(
    [...PICTURE_FORMATS, ...FILM_FORMATS, ...SOUND_FORMATS].map(({ name, contentType }) => [name, contentType]),
  ),
  pdf: 'application/pdf',
};

/** Returns the MIME type of sniffed media; null for unaccepted formats. */
export function mimeTypeOf({ format }: SniffedMedia): string | null {
  return MIME_TYPES[format] ?? null;
}

/** Returns the ffmpeg demuxers that may read sniffed media, and no others; none for pictures and documents. */
export function demuxersOf({ format }: SniffedMedia): readonly string[] {
  return [...FILM_FORMATS, ...SOUND_FORMATS].find(({ name }) => name === format)?.demuxers ?? [];
}

const PDF: SniffedMedia = { kind: 'pdf', format: 'pdf' };
/** Plain text that no player follows. */
const TEXT = 'text';

/** Text that makes a player open other files or addresses; matched against the trimmed beginning. */
const SCRIPTS: [RegExp, string][] = [
  [/^#EXTM3U/i, 'a playlist (M3U/HLS)'],
  [/^ffconcat\b/i, 'a concatenation script (ffconcat)'],
  [/^file\s+['"]?\S/i, 'a concatenation script'],
  [/^;ffmetadata/i, 'an ffmetadata script'],
  [/^\[playlist\]/i, 'a playlist (PLS)'],
  [/^\[reference\]/i, 'a reference list (ASX)'],
  [/^WEBVTT/, 'subtitle text'],
  [/^\d+\s*\r?\n\d\d:\d\d:\d\d,\d{3} -->/, 'subtitle text'],
  [/^\[script info\]/i, 'subtitle text'],
  [/<MPD[\s>]/, 'a streaming manifest (DASH)'],
  [/<SmoothStreamingMedia[\s>]/i, 'a streaming manifest (Smooth Streaming)'],
  [/<asx[\s>]/i, 'a reference list (ASX)'],
  [/<smil[\s>]/i, 'a playlist (SMIL)'],
  [/<svg[\s>]/i, 'an SVG drawing'],
  [/<(!doctype )?html[\s>]/i, 'a web page'],
  [/^<\?xml|^<[a-z]/i, 'an XML document'],
  [/^v=0\r?\n/, 'a session description (SDP)'],
];

/**
 * Identifies a file by its content alone, never by its name. Throws MEDIA_INVALID for an empty file and for playlists,
 * manifests, concat scripts and other text, which must never reach ffmpeg because it would open the referenced files.
 */
export async function sniffMedia(path: string): Promise<SniffedMedia> {
  return sniffBytes(await readHead(path));
}

/** Identifies a file by its first bytes, of which `SNIFFED_BYTES` are enough. */
export async function sniffBytes(head: Buffer): Promise<SniffedMedia> {
  if (head.length === 0) throw new AditError('MEDIA_INVALID', 'The file is empty.');
  // A PDF document may be text throughout; PDFium reads it, never ffmpeg.
  const pdf = pdfStart(head);
  if (pdf === 0) return PDF;
  const script = textScript(head);
  if (script === TEXT && pdf !== null) return PDF;
  if (script) throw new AditError('MEDIA_INVALID', `The file is ${script}, not media. ${ACCEPTED_MEDIA}`);
  const stream = mpegStream(head);
  if (stream) return { kind: 'video', format: stream };
  const film = FILM_FORMATS.find(({ begins }) => begins?.(head));
  if (film) return { kind: 'video', format: film.name };
  const sound = SOUND_FORMATS.find(({ begins }) => begins?.(head));
  if (sound) return { kind: 'audio', format: sound.name };
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  const known = type && KNOWN[type.ext];
  if (known) return known;
  // The directory of this TIFF lies behind the bytes that were read.
  if (type === undefined && TIFF.begins(head)) return { kind: 'image', format: TIFF.name };
  if (looksLikeQuickTime(head)) return { kind: 'video', format: 'mov' };
  if (syncShare(head) >= HURT_SHARE) return { kind: 'video', format: 'mpeg-ts' };
  if (pdf !== null) return PDF;
  if (isLockedWma(head)) return { kind: 'unknown', format: 'locked-wma' };
  return { kind: 'unknown', format: bareVideo(head) ?? type?.ext ?? 'unrecognised data' };
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await file.read(buffer, 0, SNIFFED_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function textScript(head: Buffer): string | null {
  const text = decodeText(head);
  if (text === null) return null;
  for (const [pattern, name] of SCRIPTS) if (pattern.test(text)) return name;
  return TEXT;
}

/** Returns the beginning as text, or null when it holds binary bytes. */
function decodeText(head: Buffer): string | null {
  if (head.length >= 2 && ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))) {
    const little = head[0] === 0xff;
    const even = Buffer.from(head.subarray(2, head.length - (head.length % 2)));
    return (little ? even : even.swap16()).toString('utf16le').trimStart();
  }
  const start = head.subarray(0, 4096);
  const binary = start.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127);
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  // ffmpeg still reads a playlist that is followed by a few binary bytes.
  if (binary) return SCRIPTS.slice(0, 3).some(([pattern]) => pattern.test(text)) ? text : null;
  return text;
}

/** Share of packets that begin with a sync byte, in a transport stream with some wrong bytes. */
const WHOLE_SHARE = 0.9;
/** The same share in a badly damaged stream; chance gives 1/256. */
const HURT_SHARE = 0.3;
const MIN_PACKETS = 5;

/** Recognises MPEG-TS, MPEG-PS or a bare MPEG-1/2 video stream. */
function mpegStream(head: Buffer): string | null {
  if (syncShare(head) >= WHOLE_SHARE) return 'mpeg-ts';
  if (head.length < 4) return null;
  const code = head.readUInt32BE(0);
  if (code === 0x1ba) return 'mpeg-ps';
  if (code === 0x1b3) return 'mpeg-video';
  return null;
}

/**
 * Returns the share of a transport stream's packets (188 bytes, 192 with a time code in front, 204 with a checksum
 * behind) that begin with the sync byte, 0..1. ITU-T H.222.0, 2.4.3.2.
 */
function syncShare(head: Buffer): number {
  let best = 0;
  for (const packet of [188, 192, 204]) {
    const hits = new Uint16Array(packet);
    for (let at = head.indexOf(0x47); at >= 0; at = head.indexOf(0x47, at + 1)) {
      hits[at % packet] = elementAt(hits, at % packet) + 1;
    }
    hits.forEach((count, phase) => {
      const packets = Math.ceil((head.length - phase) / packet);
      if (count >= MIN_PACKETS) best = Math.max(best, count / packets);
    });
  }
  return best;
}

/**
 * Recognises H.264 or HEVC as an encoder writes it (ITU-T H.264 and H.265, annex B): a start code and a parameter set.
 */
function bareVideo(head: Buffer): 'h264' | 'h265' | null {
  const at = head.indexOf(Buffer.from([0, 0, 1]));
  if (at < 0 || at > 1 || at + 3 >= head.length) return null;
  const unit = head.readUInt8(at + 3);
  // H.264: parameter set or delimiter; HEVC, whose unit headers have two bytes: video parameter set or delimiter.
  if ([7, 9].includes(unit & 0x1f) && unit < 0x80) return 'h264';
  return [32, 35].includes(unit >> 1) ? 'h265' : null;
}

/** QuickTime files older than `ftyp` begin with one of these atoms. */
function looksLikeQuickTime(head: Buffer): boolean {
  return head.length >= 8 && ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(head.toString('latin1', 4, 8));
}
