import { randomUUID } from 'node:crypto';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { StreamClaims, type ClaimedStream } from '../stream-claims.js';

export const LEASE_SECONDS = 60;

/** Live jobs on a database of their own, for specs. */
export class StreamWorld {
  private constructor(
    private readonly own: SpecDatabase,
    private readonly database: Database,
  ) {}

  static async start(): Promise<StreamWorld> {
    const own = await specDatabase();
    return new StreamWorld(own, await openDatabase(own.settings));
  }

  get db(): DataSource {
    return this.database.dataSource;
  }

  claims(options: { workspace?: number; recorder?: number; key?: string } = {}): StreamClaims {
    const { workspace = 8, recorder = 16, key: encryptionKey } = options;
    return new StreamClaims(this.db, { streamsPerWorkspace: workspace, streamsPerRecorder: recorder, encryptionKey });
  }

  /** Claims a stream, which has to be there. */
  async claimed(claims = this.claims()): Promise<ClaimedStream> {
    const stream = await claims.claim(0, LEASE_SECONDS);
    if (stream === null) throw new Error('no stream is free');
    return stream;
  }

  /** Returns the id of a new live job with its stream. */
  async job(workspaceId: string = randomUUID(), recordSeconds: number | null = null): Promise<string> {
    const id = randomUUID();
    await this.db.query(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type)
       VALUES ($1, $2, '', 'waiting', 5, 4, 'videostream')`,
      [id, workspaceId],
    );
    await this.db.query(
      `INSERT INTO job_sources (job_id, index, uri, state) VALUES ($1, 0, 'rtsp://camera.example.org/live', 'waiting')`,
      [id],
    );
    await this.db.query(
      `INSERT INTO streams (id, job_id, source_index, workspace_id, record_seconds, record_secret)
       VALUES ($1, $2, 0, $3, $4, $5)`,
      [randomUUID(), id, workspaceId, recordSeconds, recordSeconds === null ? null : 'secret'],
    );
    return id;
  }

  /** The stream of a job. */
  async stream(jobId: string): Promise<Record<string, unknown>> {
    const [row]: [Record<string, unknown>] = await this.db.query('SELECT * FROM streams WHERE job_id = $1', [jobId]);
    return row;
  }

  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return inTransaction(this.db, work);
  }

  /** Lets the leases of a job's stream run out. */
  async expire(jobId: string): Promise<void> {
    await this.db.query(`UPDATE streams SET lease_until = now() - interval '1 second' WHERE job_id = $1`, [jobId]);
  }

  /** Removes everything of former specs. */
  async reset(): Promise<void> {
    const recorded = ['recording_segments', 'recording_headers', 'object_removals'];
    for (const table of ['jobs', 'job_sources', 'streams', 'stream_gaps', 'workspace_events', 'outbox', ...recorded]) {
      await this.db.query(`DELETE FROM ${table}`);
    }
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.own.drop();
  }
}
