import { isLive } from '@adit/database';
import type { SampledPictures } from '@adit/media';
import type { DataSource } from 'typeorm';

/** Largest divisor of the sampling rate. */
const MAX_DIVISOR = 8;
/** Longest time between samples, in seconds, that does not split what is seen (`gapOf`). */
const MAX_STEP_SECONDS = 2;

/** How far the analysis is behind: keeping up, between, more than the limit, or twice that. */
export type BacklogState = 'none' | 'some' | 'long' | 'full';

/** Returns the divisor of the sampling rate after a look at the backlog. */
export function rateDivisor(divisor: number, state: BacklogState): number {
  if (state === 'long') return Math.min(divisor * 2, MAX_DIVISOR);
  return state === 'none' ? Math.max(divisor / 2, 1) : divisor;
}

/**
 * Returns every n-th sample of a rate, by its time, so that chunks go on from each other; at least one in two seconds,
 * since a longer step would split what is seen.
 */
export function thinned({ frames, jpegs }: SampledPictures, rate: number, divisor: number): SampledPictures {
  const step = Math.max(Math.min(divisor, Math.floor(rate * MAX_STEP_SECONDS)), 1);
  const kept = [...frames.keys()].filter((i) => Math.floor((frames[i]?.time ?? 0) * rate + 1e-6) % step === 0);
  return { frames: kept.flatMap((i) => frames[i] ?? []), jpegs: kept.flatMap((i) => jpegs[i] ?? []) };
}

/** Parts of a stream that are looked at, the newest ones: the analysis of older ones has no say in the rate. */
const MAX_PARTS = 100;

/** SQL: the job `$1`, which has a stream, with the parts right before it that are still analysed. */
export const ANALYSED_PARTS = `
  WITH RECURSIVE parts (id, previous, number) AS (
    SELECT id, previous_part, 1 FROM jobs WHERE id = $1
    UNION ALL
    SELECT j.id, j.previous_part, p.number + 1 FROM parts p JOIN jobs j ON j.id = p.previous
     WHERE ${isLive('j')} AND p.number < ${MAX_PARTS})`;

/** Chunks of a stream's pictures whose analysis has not ended, over its parts. */
export class Backlog {
  private readAt = -Infinity;
  private last: BacklogState = 'none';

  /**
   * @param lagChunks - chunks that may wait before fewer pictures are analysed
   */
  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly jobId: string,
    private readonly lagChunks: number,
  ) {}

  /** Reads it at most once a second: between two readings the rate does not change. */
  async state(): Promise<BacklogState> {
    if (performance.now() - this.readAt < 1000) return this.last === 'full' ? 'full' : 'some';
    const [row]: { waiting: number }[] = await this.db.query(
      `${ANALYSED_PARTS}
       SELECT count(*)::int AS waiting FROM (
         SELECT 1 FROM parts p JOIN chunks c ON c.job_id = p.id
          WHERE c.state = 'decoded' AND c.interval ->> 'kind' IS DISTINCT FROM 'audio' LIMIT $2) AS waiting`,
      [this.jobId, Math.ceil(this.lagChunks * 2) + 1],
    );
    this.readAt = performance.now();
    this.last = stateOf(row?.waiting ?? 0, this.lagChunks);
    return this.last;
  }
}

function stateOf(waiting: number, limit: number): BacklogState {
  if (waiting > limit * 2) return 'full';
  if (waiting > limit) return 'long';
  return waiting > limit / 3 ? 'some' : 'none';
}
