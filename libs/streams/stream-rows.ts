/** Statements that write streams with their jobs: begun, ended, restarted and deleted together. */
import { rowsOfJob, rowsOfWorkspace, type RowsOfJob, type RowsOfWorkspace } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** A live source of a job to be inserted. */
export interface NewStream {
  id: string;
  sourceIndex: number;
  /** Encrypted address; null where the shown one hides nothing. */
  address: string | null;
  /** Seconds of it that are recorded, and the secret that addresses of the recording are signed with. */
  record?: { seconds: number; secret: string };
}

/** SQL: inserts the streams of rows that name their `id`, `"workspaceId"`, and a `stream` as JSON or null. */
export function insertedStreams(rows: string): string {
  return `INSERT INTO streams (id, job_id, source_index, workspace_id, address, record_seconds, record_secret)
    SELECT (stream->>'id')::uuid, ${rows}.id, (stream->>'sourceIndex')::int, ${rows}."workspaceId", stream->>'address',
           (stream->'record'->>'seconds')::int, stream->'record'->>'secret'
      FROM ${rows} WHERE jsonb_typeof(stream) = 'object'`;
}

/** SQL: a stream of the job under the alias is read, or waits to be: its sources are nobody else's to open. */
export function isStreamed(alias: string): string {
  return `EXISTS (SELECT 1 FROM streams live WHERE live.job_id = ${alias}.id AND live.state IN ('waiting', 'processing'))`;
}

/** True while a stream of any workspace waits for calls over SRT at this port, or is read there. */
export async function isListenedAt(manager: Pick<EntityManager, 'query'>, port: number): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM streams t JOIN job_sources s ON s.job_id = t.job_id AND s.index = t.source_index
      WHERE t.state IN ('waiting', 'processing') AND s.uri ~* $1 LIMIT 1`,
    [`^srt://:0*${port}/?$`],
  );
  return rows.length > 0;
}

/** True while a recorder reads a stream of the job, as far as its lease tells. */
export async function isRead(manager: EntityManager, jobId: string): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM streams WHERE job_id = $1 AND state = 'processing' AND lease_until > now() LIMIT 1`,
    [jobId],
  );
  return rows.length > 0;
}

/** Ends the streams of a job that ends, whoever reads them: a recorder notices at its next heartbeat. */
export async function endStreamsOfJob(
  manager: EntityManager,
  jobId: string,
  state: 'completed' | 'failed',
): Promise<void> {
  await manager.query(
    `UPDATE streams SET state = $2, lease_until = NULL WHERE job_id = $1 AND state IN ('waiting', 'processing')`,
    [jobId, state],
  );
}

/** Makes the streams of a retried job wait for a recorder again. They go on where they ended. */
export async function restartStreamsOfJob(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE streams SET state = 'waiting', lease_until = NULL, attempts = 0, fencing_token = fencing_token + 1
      WHERE job_id = $1 AND state IN ('completed', 'failed')`,
    [jobId],
  );
}

/** Rows that go with their job. */
export const STREAMS_OF_JOB: readonly RowsOfJob[] = [
  rowsOfJob('stream_gaps'),
  // Whoever records holds its stream: nothing is recorded once that is gone.
  rowsOfJob('streams'),
  rowsOfJob('recording_segments'),
  rowsOfJob('recording_headers'),
];

/** Rows that go with their workspace: those of its jobs, which are deleted before, and a late request's. */
export const STREAM_ROWS: readonly RowsOfWorkspace[] = [
  { table: 'stream_gaps', where: 'job_id IN (SELECT id FROM jobs WHERE workspace_id = $1)' },
  { table: 'recording_headers', where: 'job_id IN (SELECT id FROM jobs WHERE workspace_id = $1)' },
  rowsOfWorkspace('streams'),
  rowsOfWorkspace('recording_segments'),
];
