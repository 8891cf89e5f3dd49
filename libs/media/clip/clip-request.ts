import type { MediaFacts } from '@adit/contracts';
import type { Admit } from '../decode-memory.js';
import type { FrameIndex } from '../video/frame-index.js';

/** What is cut out of a film or recording. */
export interface ClipSpan {
  /** First and last frame, inclusive; null for sound. */
  frames: { first: number; last: number } | null;
  /** Seconds from the start of the source. */
  timeStart: number;
  timeEnd: number;
  /** Seconds more at both ends, as far as the source reaches. */
  handles: number;
}

export interface ClipRequest {
  /** Private file. */
  path: string;
  facts: MediaFacts;
  /** Null for sound. */
  index: FrameIndex | null;
  span: ClipSpan;
  /** Encodes it anew, so that it begins and ends where the span does; else packets are copied from the keyframe before. */
  exact: boolean;
  /** File to write; others are written beside it meanwhile. */
  target: string;
  /** Called before anything is decoded. Default: admits at once. */
  admit?: Admit;
  signal?: AbortSignal;
  /** Default: MAX_CLIP_BYTES. */
  maxBytes?: number;
}

/** What the file at `target` is. */
export interface ClipFile {
  mimeType: 'video/mp4' | 'audio/mp4';
  extension: 'mp4' | 'm4a';
}

/** Bytes of one clip. */
export const MAX_CLIP_BYTES = 4 * 2 ** 30;
/** Wall time of one run. */
export const CLIP_TIMEOUT_SECONDS = 3600;

/** Muxer's options of every clip: its index comes first, and what a file says of places and people stays behind. */
export const CLIP_OUTPUT: readonly string[] = [
  ...['-map_metadata', '-1', '-map_chapters', '-1', '-dn', '-sn'],
  ...['-movflags', '+faststart', '-f', 'mp4'],
];

/** Sound that an MP4 holds as it is; other sound is encoded, which costs next to nothing. */
const COPIED_SOUND: ReadonlySet<string> = new Set(['aac', 'ac3', 'alac', 'eac3', 'mp3']);

export const AAC: readonly string[] = ['aac', '-b:a', '192k'];

/** Options of a sound track in a clip whose packets are copied. */
export function copiedSound(codec: string, track: number): string[] {
  const [encoder = '', option = '', rate = ''] = COPIED_SOUND.has(codec) ? ['copy'] : AAC;
  return [`-c:a:${track}`, encoder, ...(option === '' ? [] : [`${option}:${track}`, rate])];
}
