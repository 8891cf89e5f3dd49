import { elementAt, type MediaFacts } from '@adit/contracts';

/** Containers of a live stream, by the name of their demuxer. */
export const LIVE_CONTAINERS = {
  ...{ mpegts: 'mpegts', mp4: 'mov', nut: 'nut' },
  // Sound without a container.
  ...{ aac: 'aac', mp3: 'mp3', ac3: 'ac3', eac3: 'eac3' },
} as const;
export type LiveContainer = keyof typeof LIVE_CONTAINERS;

/** Default bytes of private memory of a child: enough to decode the first pictures of an 8K film. */
export const DEFAULT_MEMORY_BYTES = 4 * 2 ** 30;
/** Film of 8K with a margin. */
export const DEFAULT_MAX_FRAME_PIXELS = 64_000_000;

/**
 * Bytes and stream seconds that are read to identify a file's streams. The first step does not reach the pictures of a
 * transport stream that begin after minutes of sound; the last one is the most that is read and buffered.
 */
const PROBE_STEPS = [
  { bytes: 20_000_000, seconds: 10 },
  { bytes: 60_000_000, seconds: 60 },
  { bytes: 200_000_000, seconds: 600 },
];
/** Last step. */
export const LAST_PROBE_STEP = PROBE_STEPS.length - 1;

export function probeStepSeconds(step: number): number {
  return elementAt(PROBE_STEPS, Math.min(step, LAST_PROBE_STEP)).seconds;
}

/**
 * Returns the options of every ffmpeg and ffprobe run, placed before its input: it may read this one private file, in
 * the containers that its content was recognised as, and no reference in a file can make it open another file or
 * address. @param containers - names of demuxers. @param step - the step that the file's probe needed; every run over a
 * file uses the same one, or wrapping timestamps would be unwrapped differently
 */
export function inputGuard(
  containers: readonly string[],
  maxPixels: number = DEFAULT_MAX_FRAME_PIXELS,
  step = 0,
): string[] {
  const { bytes, seconds } = elementAt(PROBE_STEPS, Math.min(step, LAST_PROBE_STEP));
  return [
    ...['-protocol_whitelist', 'file,pipe'],
    ...['-format_whitelist', containers.join(',')],
    ...['-max_pixels', String(maxPixels)],
    ...['-probesize', String(bytes), '-analyzeduration', String(seconds * 1_000_000)],
  ];
}

/** Returns the demuxers for a file that was probed; none for media that ffmpeg does not read. */
export function containersOf(facts: MediaFacts): readonly string[] {
  return 'container' in facts ? [facts.container] : [];
}

/** Returns the path as an address that cannot be taken for another protocol. */
export function inputAddress(path: string): string {
  return `file:${path}`;
}

/** Bytes of a file, `to` exclusive. */
export interface FilePart {
  from: number;
  to: number;
}

/** Returns the address of a part of the file, read as a file of its own. */
export function partAddress(path: string, { from, to }: FilePart): string {
  return `subfile,,start,${from},end,${to},,:${inputAddress(path)}`;
}

/** Options to add after `inputGuard` when `partAddress` is opened. */
export const PART_GUARD = ['-protocol_whitelist', 'file,pipe,subfile'];
