import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Chunks before those that are folded in which what is open may have begun: a minute of the shortest. */
const CHUNKS_BEFORE = 400;
/** Chunks after them: sound is stored a little behind the pictures of its time, or before them. */
const CHUNKS_AFTER = 20;

/** Frames of a chunk of pictures, with its interval in microseconds of stream time. */
export interface ShownFrames {
  frameStart: number;
  frameEnd: number;
  ptsStart: number;
  ptsEnd: number;
}

/** Frames of live streams, which have no index: the chunks of pictures near those of sound tell their times. */
@Injectable()
export class LiveFrames {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Returns the number of the frame on display at a stream time in seconds, for chunks from `first` to before `end`. */
  async of(
    { jobId, sourceIndex }: { jobId: string; sourceIndex: number },
    { first, end }: { first: number; end: number },
    fps: number,
  ): Promise<(seconds: number) => number> {
    const shown: ShownFrames[] = await this.db.query(
      `SELECT (c.interval ->> 'frameStart')::float8 AS "frameStart", (c.interval ->> 'frameEnd')::float8 AS "frameEnd",
              (c.interval ->> 'ptsStart')::float8 AS "ptsStart", (c.interval ->> 'ptsEnd')::float8 AS "ptsEnd"
         FROM chunks c
        WHERE c.job_id = $1 AND c.source_start = $2 AND c.position >= $3 AND c.position < $4
          AND c.interval ->> 'kind' IS DISTINCT FROM 'audio'
        ORDER BY c.position`,
      [jobId, sourceIndex, first - CHUNKS_BEFORE, end + CHUNKS_AFTER],
    );
    return (seconds) => frameShown(shown, seconds, fps);
  }
}

/** Returns the frame on display; in a gap the last one before it, and behind the last chunk the one that is expected. */
export function frameShown(shown: readonly ShownFrames[], seconds: number, fps: number): number {
  const us = seconds * 1e6;
  const chunk = shown.findLast(({ ptsStart }) => ptsStart <= us) ?? shown[0];
  if (chunk === undefined) return Math.floor(seconds * fps + 1e-6);
  const { frameStart, frameEnd, ptsStart, ptsEnd } = chunk;
  if (us <= ptsStart) return frameStart;
  const frames = frameEnd - frameStart;
  if (us < ptsEnd)
    return frameStart + Math.min(Math.floor(((us - ptsStart) / (ptsEnd - ptsStart)) * frames), frames - 1);
  if (chunk !== shown.at(-1)) return frameEnd - 1;
  return frameEnd + Math.floor(((us - ptsEnd) / 1e6) * fps);
}
