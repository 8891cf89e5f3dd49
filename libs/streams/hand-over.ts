/**
 * A recorder that shuts down reads its streams on until others have taken them over: the successor opens the stream
 * beside it, and takes the lease once its own pictures reach back to what is stored.
 */
import { returned } from '@adit/database';
import { STREAMS, updateHeld } from '@adit/leases';
import type { EntityManager } from 'typeorm';
import type { StreamSettings } from './settings.js';
import { STREAM_COLUMNS, streamOf, type ClaimedStream, type StreamRow } from './stream-claims.js';

type Db = Pick<EntityManager, 'query'>;

/** Seconds that one recorder has to take a stream over before another may try. */
export const SUCCESSION_SECONDS = 30;
/** Token that no claim has: whoever was not given the lease yet writes nothing. */
const NO_TOKEN = -1;

/** A stream whose recorder shuts down, for its successor to open. */
export interface OfferedStream {
  /** Not held yet: its fence refuses every write. */
  stream: ClaimedStream;
  /** Fencing token of the recorder that shuts down. */
  heldWith: number;
  /** End of the reservation, to the microsecond: it tells this one from others of the stream. */
  reservedUntil: string;
}

/** Offers a held stream to other recorders; false when it is held no more. */
export function offerStream(db: Db, stream: ClaimedStream): Promise<boolean> {
  return updateHeld(db, stream, 'handing_over = true, successor_until = NULL');
}

/**
 * Reserves the stream that was offered first, for this recorder to take over; null when there is none but those that it
 * tries already. One without a picture so far is left: nothing of it would be missed.
 */
export async function reserveOffer(
  db: Db,
  settings: Pick<StreamSettings, 'encryptionKey'>,
  tried: readonly string[] = [],
): Promise<OfferedStream | null> {
  const [row] = returned<StreamRow & { id: string; token: number; reservedUntil: string }>(
    await db.query(
      `UPDATE streams t SET successor_until = now() + make_interval(secs => $1)
        WHERE id = (SELECT id FROM streams
                     WHERE handing_over AND state = 'processing' AND lease_until > now() AND ${STREAMS.live}
                       AND (successor_until IS NULL OR successor_until <= now()) AND (address IS NULL OR $2)
                       AND zero_at IS NOT NULL AND id <> ALL($3::uuid[])
                     ORDER BY time_created LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING t.id, t.fencing_token AS token, t.successor_until::text AS "reservedUntil", ${STREAM_COLUMNS}`,
      [SUCCESSION_SECONDS, settings.encryptionKey !== undefined, tried],
    ),
  );
  if (row === undefined) return null;
  const { id, token, reservedUntil, ...stream } = row;
  const claim = { rows: STREAMS, key: { id }, attempt: 1, token: NO_TOKEN };
  return { stream: streamOf(claim, stream, settings), heldWith: token, reservedUntil };
}

/**
 * True while the recorder that shuts down has not stored the stream up to a time in microseconds, its sound and its
 * recording included where it has any, and still reads it.
 */
export async function isBehind(db: Db, { stream, heldWith }: OfferedStream, us: number): Promise<boolean> {
  const rows: unknown[] = await db.query(
    `SELECT 1 FROM streams
      WHERE id = $1 AND fencing_token = $2 AND state = 'processing' AND lease_until > now()
         AND (last_us < $3 OR (sound_us > 0 AND sound_us < $3)
              OR (SELECT max(r.from_us + r.duration_us) FROM recording_segments r WHERE r.job_id = streams.job_id) < $3)`,
    [stream.key.id, heldWith, us],
  );
  return rows.length > 0;
}

/**
 * Takes the lease of an offered stream, with its position by then; null when its work has ended or is another's. Safe to
 * repeat when the answer was lost: a lease that was taken under this reservation is taken again.
 */
export async function takeOver(
  db: Db,
  { stream, heldWith, reservedUntil }: OfferedStream,
  leaseSeconds: number,
  settings: Pick<StreamSettings, 'encryptionKey'>,
): Promise<ClaimedStream | null> {
  const { id } = stream.key;
  const [row] = returned<StreamRow & { token: number }>(
    await db.query(
      `UPDATE streams t
          SET fencing_token = $2::int + 1, attempts = 1, counted_from_us = last_us, handing_over = false,
              successor_until = $4::timestamptz, lease_until = now() + make_interval(secs => $3)
        WHERE id = $1 AND state = 'processing' AND ${STREAMS.live}
          AND (fencing_token = $2
               OR (fencing_token = $2::int + 1 AND successor_until = $4::timestamptz AND lease_until > now()))
       RETURNING t.fencing_token AS token, ${STREAM_COLUMNS}`,
      [id, heldWith, leaseSeconds, reservedUntil],
    ),
  );
  if (row === undefined) return null;
  const { token, ...taken } = row;
  return streamOf({ rows: STREAMS, key: { id }, attempt: 1, token }, taken, settings);
}
