import type { ProcessingRange } from '@adit/contracts';
import type { LockedJob } from './locked-job.js';

/** Image indexes, both inclusive; null when no image lies within, or when the range is given in seconds. */
export function imageRange(range: ProcessingRange | null, count: number): { from: number; to: number } | null {
  if (range === null) return { from: 0, to: count - 1 };
  if (!('frame_start' in range || 'frame_end' in range)) return null;
  const from = range.frame_start ?? 0;
  const to = Math.min(range.frame_end ?? count - 1, count - 1);
  return from <= to ? { from, to } : null;
}

/** A job is one of images or one of films: a source of the other kind ends it. */
export async function failMixed(locked: LockedJob): Promise<void> {
  await locked.addErrors(['Images and video are mixed; post one job for each kind.']);
  await locked.apply({ kind: 'failed' });
}
