/** A stream that runs for long is split into parts: jobs that follow each other, under one lease of its recorder. */
import { randomUUID } from 'node:crypto';
import { STREAMS } from '@adit/leases';
import type { EntityManager } from 'typeorm';
import { newRecordingSecret } from './recording-tickets.js';
import type { ClaimedStream } from './stream-claims.js';

/** What a recorder finds of the stream that it holds. */
export interface HeldPart {
  /** The job that has it: another than the recorder knows where an attempt to go on has succeeded unheard. */
  jobId: string;
  /** Its recorder shuts down: whoever takes it over has begun to read this part. */
  isOffered: boolean;
}

/** Locks a held stream until the transaction ends; null when it is held no more. */
export async function lockPart(manager: EntityManager, { key, token }: ClaimedStream): Promise<HeldPart | null> {
  const [part]: HeldPart[] = await manager.query(
    `SELECT job_id AS "jobId", handing_over AS "isOffered" FROM streams
      WHERE id = $1 AND fencing_token = $2 AND ${STREAMS.open} FOR UPDATE`,
    [key.id, token],
  );
  return part ?? null;
}

/**
 * Gives a stream that `lockPart` has locked to the next job, whose times begin at the border. The job before keeps a
 * copy that has ended, with its gaps and its recording. The claim goes on with its number of attempts,
 * which is part of its fence; the next claim counts anew, since any position of the new part is further than -1.
 *
 * @param borderUs - in the time of the job before
 */
export async function moveToPart(
  manager: EntityManager,
  { key }: ClaimedStream,
  nextJob: string,
  borderUs: number,
): Promise<void> {
  await manager.query(
    `WITH former AS (
       INSERT INTO streams (id, job_id, source_index, workspace_id, state, time_created, zero_at, frames, last_us, sound_us,
                            next_position, counted_from_us, record_seconds, record_secret, record_next, record_breaks)
       SELECT $2, job_id, source_index, workspace_id, 'completed', time_created, zero_at, frames, last_us, sound_us,
              next_position, counted_from_us, record_seconds, record_secret, record_next, record_breaks
         FROM streams WHERE id = $1
     ), gaps AS (
       UPDATE stream_gaps SET stream_id = $2 WHERE stream_id = $1)
     UPDATE streams
        SET job_id = $3, time_created = now(), zero_at = zero_at + make_interval(secs => $4::bigint / 1e6), frames = 0,
            last_us = greatest(last_us - $4::bigint, 0), sound_us = greatest(sound_us - $4::bigint, 0), next_position = 0,
            counted_from_us = -1, record_next = 0, record_breaks = 0,
            record_secret = CASE WHEN record_secret IS NOT NULL THEN $5 END
      WHERE id = $1`,
    [key.id, randomUUID(), nextJob, borderUs, newRecordingSecret()],
  );
}
