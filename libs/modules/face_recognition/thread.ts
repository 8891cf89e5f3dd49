import { type Box, elementAt } from '@adit/contracts';
import { appendMark, betterPortrait, boxMark, emptyMarks, MAX_DETECTIONS } from '@adit/module-kit';
import type { Instant, Portrait, Thinned } from '@adit/module-kit';
import { addTraits, NO_TRAITS } from '../people/traits.js';
import type { Traits } from '../people/traits.js';
import { decodeEmbedding, encodeEmbedding, normalised, scaled } from '../galleries/embedding.js';
import type { Tracklet } from './tracklet.js';

export { betterPortrait, boxMark };
export type { Portrait };

/**
 * One face followed through the source: tracklets of one unit after another that continue each other. Its identity is
 * decided once, when it has ended, from all of its views together.
 */
export interface Thread {
  /** Order of beginning, the last resort where an order has to be decided. */
  id: number;
  start: Instant;
  end: Instant;
  /** Left edge of the first box, 0..1. */
  startX: number;
  /** Where it was last seen. */
  box: Box;
  /** Σ quality · embedding of its views; null while it has none. */
  sum: Float64Array | null;
  /** Σ quality. */
  weight: number;
  /** What it reads as; no question of who it is. */
  traits: Traits;
  marks: Thinned;
  portrait: Portrait;
}

/** A thread as the fold's state keeps it: 2.7 kB of embedding and the marks. */
export type StoredThread = Omit<Thread, 'sum'> & { sum: string | null };

export function storeThread(thread: Thread): StoredThread {
  return { ...thread, sum: thread.sum === null ? null : encodeEmbedding(thread.sum) };
}

export function restoreThread(stored: StoredThread): Thread {
  return {
    ...stored,
    sum: stored.sum === null ? null : new Float64Array(decodeEmbedding(stored.sum)),
    marks: { ...stored.marks, kept: [...stored.marks.kept] },
  };
}

export function beginThread(id: number, tracklet: Tracklet): Thread {
  const thread: Thread = {
    id,
    start: tracklet.start,
    end: tracklet.end,
    startX: tracklet.firstBox.x,
    box: tracklet.lastBox,
    sum: null,
    weight: 0,
    traits: NO_TRAITS,
    marks: emptyMarks(),
    portrait: tracklet.portrait,
  };
  absorb(thread, tracklet);
  return thread;
}

/** Continues `thread` with a tracklet that begins after its end. */
export function absorb(thread: Thread, tracklet: Tracklet): void {
  thread.end = tracklet.end;
  thread.box = tracklet.lastBox;
  thread.portrait = betterPortrait(thread.portrait, tracklet.portrait);
  for (const mark of tracklet.marks) appendMark(thread.marks, mark, MAX_DETECTIONS);
  if (tracklet.sum === null) return;
  thread.traits = addTraits(thread.traits, tracklet.traits);
  thread.weight += tracklet.weight;
  const added = tracklet.sum;
  thread.sum = thread.sum === null ? added.slice() : thread.sum.map((value, index) => value + elementAt(added, index));
}

/** The direction of all its views together, of length 1; null without views. */
export function identityOf(face: Pick<Thread, 'sum'>): Float32Array | null {
  return face.sum === null ? null : normalised(face.sum);
}

/** The mean of its views, not stretched to length 1: its dot product with a row is the views' mean cosine. */
export function meanView(face: Pick<Thread, 'sum' | 'weight'>): Float32Array | null {
  return face.sum === null ? null : scaled(face.sum, 1 / face.weight);
}
