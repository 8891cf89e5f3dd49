import { open } from 'node:fs/promises';
import { elementAt, type FrameInterval, type VideoFacts } from '@adit/contracts';
import { countUpTo, type FrameIndex, type SeekTable } from './frame-index.js';

/**
 * Start of decoding a chunk: the film's beginning, a time in seconds of the container's clock, or a counted keyframe.
 */
export type ChunkStart =
  | { kind: 'beginning' }
  | { kind: 'time'; seconds: number }
  | { kind: 'keyframe'; table: SeekTable; entry: number; until: number };

/** Seconds further back for the second attempt. */
const FURTHER_BACK = 12;

/**
 * Returns the starts for decoding frames from `firstFrame` to before `interval.frameEnd`, one attempt after the other;
 * the beginning comes last.
 */
export function chunkStarts(
  facts: VideoFacts,
  index: FrameIndex,
  interval: FrameInterval,
  firstFrame: number,
): ChunkStart[] {
  if (index.hints.timing === 'counted') return countedStarts(index, interval, firstFrame);
  const { num, den } = facts.timeBase;
  let point = index.seekPointFor(interval.seekPts);
  const earliest = index.seekPts[0];
  // The first times after a seek are guesses there; they are right from the second keyframe on.
  if (index.hints.timing === 'sparse' && point) point = index.seekPointFor(point.pts - Math.ceil(den / num));
  if (!point || earliest === undefined || point.pts <= earliest) return [{ kind: 'beginning' }];
  // MP4 and MOV seek by presentation time; the others by decoding time.
  const byPts = /mov|mp4/.test(facts.container);
  const at = byPts ? (point.pts * num) / den + 1e-6 : (Math.min(point.dts, point.pts) * num) / den;
  const first = (earliest * num) / den;
  const times = [at, at - FURTHER_BACK].filter((seconds) => seconds > first);
  return [...times.map((seconds) => ({ kind: 'time' as const, seconds })), { kind: 'beginning' }];
}

function countedStarts({ seekTable: table }: FrameIndex, interval: FrameInterval, firstFrame: number): ChunkStart[] {
  if (table === null) return [{ kind: 'beginning' }];
  const entry = countUpTo(table.frames, firstFrame) - 1;
  if (entry <= 0) return [{ kind: 'beginning' }];
  // Pictures shown before a keyframe may be stored after it, so one keyframe more is read.
  const until = table.places[countUpTo(table.frames, interval.frameEnd) + 1] ?? table.bodyEnd;
  return [{ kind: 'keyframe', table, entry, until }, { kind: 'beginning' }];
}

/**
 * Writes a temporary film: the description of the film, and its packets from a counted keyframe on. A reader that
 * cannot seek to a picture then finds it first.
 */
export async function writePiece(
  path: string,
  target: string,
  { table, entry, until }: Extract<ChunkStart, { kind: 'keyframe' }>,
): Promise<void> {
  const source = await open(path, 'r');
  const piece = await open(target, 'wx', 0o600);
  try {
    const parts: [number, number][] = [
      [0, table.bodyStart],
      [elementAt(table.places, entry), until],
    ];
    const buffer = Buffer.alloc(1 << 20);
    for (const [from, to] of parts) {
      for (let at = from; at < to;) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - at), at);
        if (bytesRead === 0) break;
        await piece.write(buffer, 0, bytesRead);
        at += bytesRead;
      }
    }
  } finally {
    await piece.close();
    await source.close();
  }
}
