import { inTransaction } from '@adit/database';
import { FairTaskQueue, STREAMS, type ClaimedTask, type LeasedTable } from '@adit/leases';
import type { DataSource, EntityManager } from 'typeorm';
import { decryptAddress } from './encrypted-address.js';
import type { StreamSettings } from './settings.js';

/** Advisory lock that serialises claims of streams, so that two recorders cannot exceed a workspace's limit. */
const CLAIM_LOCK = 0x0ad18;

/** Position of a stream: what was written of it so far. */
export interface StreamPosition {
  /** Wall clock of stream time 0; null before the first picture. */
  zeroAt: Date | null;
  /** Number of the next frame. */
  frames: number;
  /** Stream time in microseconds up to which chunks are written. */
  lastUs: number;
  /** The same of its sound. */
  soundUs: number;
  /** Position of the next chunk. */
  nextPosition: number;
}

/** A stream that this process holds. */
export interface ClaimedStream extends ClaimedTask {
  jobId: string;
  sourceIndex: number;
  workspaceId: string;
  /** Address for clients and logs. */
  shown: string;
  /** Returns the whole address. Throws UNAVAILABLE when it cannot be decrypted here. */
  address(): string;
  position: StreamPosition;
  /** Seconds of it that are recorded; null: none. */
  recordSeconds: number | null;
  /** Seconds of it after which the next job goes on with it; null: never. */
  rotateSeconds: number | null;
}

type ClaimSettings = Pick<StreamSettings, 'streamsPerWorkspace' | 'streamsPerRecorder' | 'encryptionKey'>;

/** Gives a recorder its streams: fairly between workspaces, within the limits of each and of the process. */
export class StreamClaims {
  private readonly rows: LeasedTable;
  private readonly queue: FairTaskQueue;

  constructor(
    private readonly db: DataSource,
    private readonly settings: ClaimSettings,
  ) {
    this.rows = claimable(settings);
    this.queue = new FairTaskQueue(this.rows);
  }

  /** Claims the next stream for a process that reads `reading` of them; null when none is free, or it reads enough. */
  async claim(reading: number, leaseSeconds: number): Promise<ClaimedStream | null> {
    if (reading >= this.settings.streamsPerRecorder) return null;
    let stream: ClaimedStream | null = null;
    await this.queue.next(this.db.manager, () =>
      inTransaction(this.db, async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
        const task = await this.queue.claim(manager, leaseSeconds);
        stream = task === null ? null : await this.read(manager, task);
        return task;
      }),
    );
    return stream;
  }

  private async read(manager: EntityManager, task: ClaimedTask): Promise<ClaimedStream> {
    // An attempt that gets further than the one before is no repetition of it.
    const restarted: unknown[] = await manager.query(
      `WITH further AS (
         UPDATE streams SET attempts = 1, counted_from_us = last_us WHERE id = $1 AND last_us > counted_from_us
         RETURNING 1)
       SELECT 1 FROM further`,
      [task.key.id],
    );
    const attempt = restarted.length > 0 ? 1 : task.attempt;
    // The lease is renewed and ended whatever others of the workspace do meanwhile.
    return readStream(manager, { ...task, rows: STREAMS, attempt }, this.settings);
  }
}

/** SQL: what a recorder knows of the stream `t`, beside its claim. */
export const STREAM_COLUMNS = `
  t.job_id AS "jobId", t.source_index AS "sourceIndex", t.workspace_id AS "workspaceId", t.address, t.zero_at AS "zeroAt",
  t.frames, t.last_us AS "lastUs", t.sound_us AS "soundUs", t.next_position AS "nextPosition",
  t.record_seconds AS "recordSeconds", coalesce((
    SELECT s.uri FROM job_sources s WHERE s.job_id = t.job_id AND s.index = t.source_index), '') AS shown,
  (SELECT j.rotate_seconds FROM jobs j WHERE j.id = t.job_id) AS "rotateSeconds"`;

/** Returns the stream of a claim. */
export async function readStream(
  db: Pick<EntityManager, 'query'>,
  claim: ClaimedTask,
  settings: Pick<StreamSettings, 'encryptionKey'>,
): Promise<ClaimedStream> {
  const [row]: [StreamRow] = await db.query(`SELECT ${STREAM_COLUMNS} FROM streams t WHERE t.id = $1`, [claim.key.id]);
  return streamOf(claim, row, settings);
}

/** Returns the stream of a claim and its `STREAM_COLUMNS`. */
export function streamOf(
  claim: ClaimedTask,
  row: StreamRow,
  { encryptionKey }: Pick<StreamSettings, 'encryptionKey'>,
): ClaimedStream {
  const { address, zeroAt, frames, lastUs, soundUs, nextPosition, ...stream } = row;
  return {
    ...claim,
    ...stream,
    address: () => (address === null ? stream.shown : decryptAddress(address, stream.workspaceId, encryptionKey)),
    position: { zeroAt, frames: Number(frames), lastUs: Number(lastUs), soundUs: Number(soundUs), nextPosition },
  };
}

export interface StreamRow extends Omit<StreamPosition, 'frames' | 'lastUs' | 'soundUs'> {
  recordSeconds: number | null;
  rotateSeconds: number | null;
  jobId: string;
  sourceIndex: number;
  workspaceId: string;
  address: string | null;
  shown: string;
  frames: string;
  soundUs: string;
  lastUs: string;
}

/** Streams of workspaces that read fewer than they may, and whose address can be read. */
function claimable({ streamsPerWorkspace, encryptionKey }: ClaimSettings): LeasedTable {
  return {
    ...STREAMS,
    free: `${STREAMS.free}${encryptionKey === undefined ? ' AND address IS NULL' : ''} AND (
      SELECT count(*) FROM streams other
       WHERE other.workspace_id = streams.workspace_id AND other.state = 'processing' AND other.lease_until > now()
    ) < ${Math.trunc(streamsPerWorkspace)}`,
  };
}

/** Returns the whole address of a job's live source, for whoever opens it as a film; null where it is no live source. */
export async function addressOfSource(
  db: Pick<EntityManager, 'query'>,
  { jobId, index }: { jobId: string; index: number },
  { encryptionKey }: Pick<StreamSettings, 'encryptionKey'>,
): Promise<string | null> {
  const [row]: { address: string | null; uri: string; workspaceId: string }[] = await db.query(
    `SELECT t.address, s.uri, t.workspace_id AS "workspaceId" FROM streams t
       JOIN job_sources s ON s.job_id = t.job_id AND s.index = t.source_index
      WHERE t.job_id = $1 AND t.source_index = $2`,
    [jobId, index],
  );
  if (row === undefined) return null;
  return row.address === null ? row.uri : decryptAddress(row.address, row.workspaceId, encryptionKey);
}
