import type { DataSource, EntityManager } from 'typeorm';
import { ChunkAnalysisEntity, ChunkEntity } from '@adit/database';
import { enqueue } from './outbox.js';
import { returned } from './scheduler.js';

/** A try that may begin: its number, 1 for the first. Null when somebody else did the work or nobody wants it any more. */
export type Claim = { attempt: number } | null;

const LIVE_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_id
  AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL)`;

/** Counts a try to open a source before it begins, so that a crash counts too. */
export async function claimSource(db: DataSource, jobId: string, index: number, leaseSeconds: number): Promise<Claim> {
  return claim(
    await db.query(
      `UPDATE job_sources SET attempts = attempts + 1, lease_until = now() + make_interval(secs => $3)
        WHERE job_id = $1 AND index = $2 AND state = 'requested' AND ${LIVE_JOB} RETURNING attempts`,
      [jobId, index, leaseSeconds],
    ),
  );
}

/** Counts a try to decode a chunk before it begins. */
export async function claimChunk(db: DataSource, chunkId: string, leaseSeconds: number): Promise<Claim> {
  return claim(
    await db.query(
      `UPDATE chunks SET attempts = attempts + 1, lease_until = now() + make_interval(secs => $2)
        WHERE id = $1 AND state = 'requested' AND ${LIVE_JOB} RETURNING attempts`,
      [chunkId, leaseSeconds],
    ),
  );
}

/** Counts a try to analyse a chunk before it begins. */
export async function claimAnalysis(
  db: DataSource,
  chunkId: string,
  digest: string,
  leaseSeconds: number,
): Promise<Claim> {
  return claim(
    await db.query(
      `UPDATE chunk_analyses SET attempts = attempts + 1, lease_until = now() + make_interval(secs => $3)
        WHERE chunk_id = $1 AND digest = $2 AND state = 'requested' AND ${LIVE_JOB} RETURNING attempts`,
      [chunkId, digest, leaseSeconds],
    ),
  );
}

/** Takes back a try that an orderly shutdown ended: it says nothing about the work, which is dispatched again at once. */
export async function giveBackSource(db: DataSource, jobId: string, index: number): Promise<void> {
  await db.query(
    `UPDATE job_sources SET attempts = greatest(attempts - 1, 0), lease_until = now()
      WHERE job_id = $1 AND index = $2 AND state = 'requested'`,
    [jobId, index],
  );
}

export async function giveBackChunk(db: DataSource, chunkId: string): Promise<void> {
  await db.query(
    `UPDATE chunks SET attempts = greatest(attempts - 1, 0), lease_until = now() WHERE id = $1 AND state = 'requested'`,
    [chunkId],
  );
}

export async function giveBackAnalysis(db: DataSource, chunkId: string, digest: string): Promise<void> {
  await db.query(
    `UPDATE chunk_analyses SET attempts = greatest(attempts - 1, 0), lease_until = now()
      WHERE chunk_id = $1 AND digest = $2 AND state = 'requested'`,
    [chunkId, digest],
  );
}

/** How often a chunk's analysis was tried before; from the second try it runs alone. */
export async function triesOfAnalysis(db: DataSource, chunkId: string, digest: string): Promise<number> {
  const row = await db.manager.findOneBy(ChunkAnalysisEntity, { chunkId, digest });
  return row?.attempts ?? 0;
}

function claim(result: unknown): Claim {
  const row = returned<{ attempts: number }>(result)[0];
  return row === undefined ? null : { attempt: row.attempts };
}

/** Ends analyses of a chunk badly: the modules that need them will fail, the others go on. */
export async function failAnalyses(
  manager: EntityManager,
  job: { jobId: string; traceparent: string | null },
  chunkId: string,
  digests: string[],
  error: string,
): Promise<void> {
  const { jobId, traceparent } = job;
  await enqueue(
    manager,
    digests.map((analysisDigest) => ({
      topic: 'chunks.analysed' as const,
      key: jobId,
      jobId,
      traceparent,
      payload: { chunkId, analysisDigest, units: null, error },
    })),
  );
}

/** The frame packs of a chunk are gone: it is decoded again for the analyses that still miss them. */
export async function redecode(manager: EntityManager, chunkId: string): Promise<void> {
  await manager.update(ChunkAnalysisEntity, { chunkId, state: 'requested' }, { state: 'waiting', leaseUntil: null });
  await manager.update(
    ChunkEntity,
    { id: chunkId, state: 'decoded' },
    { state: 'planned', packs: null, leaseUntil: null },
  );
}
