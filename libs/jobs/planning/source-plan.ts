import { randomUUID } from 'node:crypto';
import type { MediaFacts } from '@adit/contracts';
import { FoldEntity, JobEntity, JobSourceEntity, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { CHUNKS_PER_PAGE, insertChunks, type Credit, type PlannedChunk } from './chunk-rows.js';
import { reasonOf, sourceError } from '../state/job-errors.js';
import { inputKinds } from './media-kinds.js';
import type { LockedJob } from '../state/locked-job.js';
import { holdMedia } from '../observations/observation-cache.js';
import { enqueue } from '@adit/outbox';

/** Source index of the one fold that covers all images of a job. */
export const ALL_IMAGES = -1;

/**
 * Writes the plan of an image job: dispatch batches over all its sources, one fold for each module that has none yet.
 * `opened` is the source that was looked at; what the others are shows when their chunk is decoded.
 */
export async function planImages(
  manager: EntityManager,
  locked: LockedJob,
  opened: { index: number; digest: string; facts: MediaFacts },
  asked: { moduleId: string; from: number; to: number }[],
  imagesPerChunk: number,
  credit: Credit = null,
): Promise<void> {
  const jobId = locked.job.id;
  await holdMedia(manager, locked.job.workspaceId, opened.digest);
  const folded = await foldedModules(manager, jobId, ALL_IMAGES);
  const wanted = asked.filter(({ moduleId }) => !folded.has(moduleId));
  const isWanted = (index: number) => wanted.some(({ from, to }) => from <= index && index <= to);
  if (locked.job.mediaType !== 'image') await manager.update(JobEntity, { id: jobId }, { mediaType: 'image' });
  const count = await manager.countBy(JobSourceEntity, { jobId });
  await manager.query(
    `UPDATE job_sources SET state = 'planned', lease_until = NULL,
            media_digest = CASE WHEN index = $2::int THEN $3 ELSE media_digest END,
            facts = CASE WHEN index = $2::int THEN $4::jsonb ELSE facts END
      WHERE job_id = $1 AND (state <> 'failed' OR index = $5)`,
    // One that no module looks at is no unit of its chunk.
    [jobId, isWanted(opened.index) ? opened.index : null, opened.digest, JSON.stringify(opened.facts), opened.index],
  );
  const kinds = await inputKinds(manager, jobId);
  const chunks: PlannedChunk[] = [];
  // All of them in this transaction, so no more than it may write.
  const images = Math.max(imagesPerChunk, Math.ceil(count / CHUNKS_PER_PAGE));
  for (let start = 0; start < count; start += images) {
    const end = Math.min(count, start + images);
    const digests = new Set<string>();
    for (const { moduleId, from, to } of wanted) {
      if (to < start || from >= end) continue;
      const module = locked.module(moduleId);
      // Pictures have nothing for those that hear.
      for (const digest of Object.values(module.analyses)) if (kinds.get(digest) === 'frames') digests.add(digest);
    }
    if (digests.size > 0)
      chunks.push({ id: randomUUID(), sourceStart: start, sourceEnd: end, extent: { kind: 'image' }, digests });
  }
  for (const { moduleId, from, to } of wanted) {
    const own = chunks.filter((chunk) => to >= chunk.sourceStart && from < chunk.sourceEnd);
    await insertFold(
      manager,
      jobId,
      moduleId,
      ALL_IMAGES,
      own.map((chunk) => chunk.id),
    );
  }
  await insertChunks(manager, locked, chunks, { credit });
  await announceSource(manager, locked, 0);
}

/** A source that cannot be mined: its reason stays with it and with the job, the other sources go on. */
export async function failSource(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  reason: string,
): Promise<void> {
  const failed = returned<{ uri: string }>(
    await manager.query(
      `UPDATE job_sources SET state = 'failed', error = $3, lease_until = NULL WHERE job_id = $1 AND index = $2
       RETURNING uri`,
      [locked.job.id, sourceIndex, reasonOf(reason)],
    ),
  );
  await locked.addErrors(failed.map(({ uri }) => sourceError(uri, reason)));
  await announceSource(manager, locked, sourceIndex);
}

export async function setSourcePlanned(
  manager: EntityManager,
  jobId: string,
  index: number,
  { digest, facts }: { digest: string; facts: MediaFacts },
): Promise<void> {
  // As `holdMedia` does, also where this statement is a transaction of its own.
  await manager.query(
    `WITH held AS (
       SELECT 1 FROM media m JOIN jobs j ON j.workspace_id = m.workspace_id
        WHERE j.id = $1 AND m.digest = $3 FOR KEY SHARE OF m)
     UPDATE job_sources SET state = 'planned', media_digest = $3, facts = $4::jsonb, lease_until = NULL, error = NULL
      WHERE job_id = $1 AND index = $2 AND (SELECT count(*) FROM held) >= 0`,
    [jobId, index, digest, JSON.stringify(facts)],
  );
}

/** The modules that have a fold of the source, as when it is opened again for those that have none. */
export async function foldedModules(manager: EntityManager, jobId: string, sourceIndex: number): Promise<Set<string>> {
  const rows = await manager.find(FoldEntity, { where: { jobId, sourceIndex }, select: { moduleId: true } });
  return new Set(rows.map(({ moduleId }) => moduleId));
}

export async function insertFold(
  manager: EntityManager,
  jobId: string,
  moduleId: string,
  sourceIndex: number,
  chunkIds: string[],
): Promise<void> {
  const fold = { jobId, moduleId, sourceIndex, chunkIds };
  await manager.insert(FoldEntity, fold);
}

/** Tells the scheduler and the aggregator that a source was opened or refused. */
export async function announceSource(manager: EntityManager, locked: LockedJob, sourceIndex: number): Promise<void> {
  const { id: jobId, traceparent } = locked.job;
  const payload = { sourceIndex };
  await enqueue(manager, [{ topic: 'sources.planned', key: jobId, jobId, traceparent, payload }]);
}
