import { randomUUID } from 'node:crypto';
import type { FrameInterval, MediaFacts, UnitOutcome } from '@adit/contracts';
import {
  type ChunkAnalysisState,
  type ChunkState,
  FoldEntity,
  JobEntity,
  JobSourceEntity,
  returned,
} from '@adit/database';
import type { EntityManager } from 'typeorm';
import { intervalName } from './keys.js';
import { reasonOf, sourceError } from './job-errors.js';
import type { LockedJob } from './locked-job.js';
import { holdMedia, knownKey, knownObservations } from './observation-cache.js';
import { enqueue } from './outbox.js';
import { chunkRequest } from './scheduler.js';
import { dispatchSeconds } from './settings.js';

/** Source index of the one fold that covers all images of a job. */
export const ALL_IMAGES = -1;

/** Whether the credit with which a source was opened goes on to its first chunk, and for how long. */
export type Credit = { leaseSeconds: number } | null;

/** What one module wants of a source, in order. */
export interface ModuleIntervals {
  moduleId: string;
  intervals: FrameInterval[];
}

interface PlannedChunk {
  id: string;
  sourceStart: number;
  sourceEnd: number;
  interval: FrameInterval | null;
  digests: Set<string>;
}

/**
 * Writes the plan of an opened film: its chunks, what each has to be analysed with, and one fold for each module that has
 * none of it yet. Chunks whose observations are all known are done at once.
 */
export async function planFilm(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  media: { digest: string; facts: MediaFacts },
  wanted: ModuleIntervals[],
  credit: Credit = null,
): Promise<void> {
  const jobId = locked.job.id;
  await setSourcePlanned(manager, jobId, sourceIndex, media);
  const chunks = new Map<string, PlannedChunk>();
  const folded = await foldedModules(manager, jobId, sourceIndex);
  for (const { moduleId, intervals } of wanted) {
    if (folded.has(moduleId)) continue;
    const module = locked.modules.find((candidate) => candidate.moduleId === moduleId)!;
    for (const interval of intervals) {
      const key = intervalName(interval);
      let chunk = chunks.get(key);
      if (chunk === undefined) {
        chunk = {
          id: randomUUID(),
          sourceStart: sourceIndex,
          sourceEnd: sourceIndex + 1,
          interval,
          digests: new Set(),
        };
        chunks.set(key, chunk);
      }
      for (const digest of Object.values(module.analyses)) chunk.digests.add(digest);
    }
    const chunkIds = intervals.map((interval) => chunks.get(intervalName(interval))!.id);
    await insertFold(manager, jobId, moduleId, sourceIndex, chunkIds);
  }
  const inOrder = [...chunks.values()].sort(
    (a, b) => a.interval!.frameStart - b.interval!.frameStart || a.interval!.frameEnd - b.interval!.frameEnd,
  );
  const digests = [...new Set(inOrder.flatMap((chunk) => [...chunk.digests]))];
  const known = await knownObservations(manager, locked.job.workspaceId, [media.digest], digests);
  const isKnown = (chunk: PlannedChunk, digest: string): UnitOutcome[] | null => {
    const observations = known.get(knownKey({ mediaDigest: media.digest, interval: chunk.interval }, digest));
    return observations === undefined ? null : [{ sourceIndex, observations, error: null }];
  };
  await insertChunks(manager, locked, inOrder, isKnown, credit);
  await announceSource(manager, locked, sourceIndex);
}

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
  const chunks: PlannedChunk[] = [];
  for (let start = 0; start < count; start += imagesPerChunk) {
    const end = Math.min(count, start + imagesPerChunk);
    const digests = new Set<string>();
    for (const { moduleId, from, to } of wanted) {
      if (to < start || from >= end) continue;
      const module = locked.modules.find((candidate) => candidate.moduleId === moduleId)!;
      for (const digest of Object.values(module.analyses)) digests.add(digest);
    }
    if (digests.size > 0)
      chunks.push({ id: randomUUID(), sourceStart: start, sourceEnd: end, interval: null, digests });
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
  await insertChunks(manager, locked, chunks, () => null, credit);
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
async function foldedModules(manager: EntityManager, jobId: string, sourceIndex: number): Promise<Set<string>> {
  const rows = await manager.find(FoldEntity, { where: { jobId, sourceIndex }, select: { moduleId: true } });
  return new Set(rows.map(({ moduleId }) => moduleId));
}

async function insertFold(
  manager: EntityManager,
  jobId: string,
  moduleId: string,
  sourceIndex: number,
  chunkIds: string[],
): Promise<void> {
  const fold = { jobId, moduleId, sourceIndex, chunkIds };
  await manager.insert(FoldEntity, fold);
}

async function insertChunks(
  manager: EntityManager,
  { job: { id: jobId, traceparent } }: LockedJob,
  chunks: PlannedChunk[],
  isKnown: (chunk: PlannedChunk, digest: string) => UnitOutcome[] | null,
  credit: Credit,
): Promise<void> {
  const analyses = chunks.flatMap((chunk) =>
    [...chunk.digests].map((digest) => {
      const units = isKnown(chunk, digest);
      const state: ChunkAnalysisState = units === null ? 'waiting' : 'done';
      return { chunk_id: chunk.id, digest, state, units };
    }),
  );
  const unfinished = new Set(analyses.filter(({ state }) => state === 'waiting').map(({ chunk_id: id }) => id));
  const first = credit === null ? undefined : chunks.find(({ id }) => unfinished.has(id));
  const lease = credit === null ? null : new Date(Date.now() + dispatchSeconds(credit) * 1000);
  // Chunks of an earlier plan stay as they are; what is the same in these is known from them.
  const [{ planned }]: [{ planned: number }] = await manager.query(
    'SELECT coalesce(max(position) + 1, 0) AS planned FROM chunks WHERE job_id = $1',
    [jobId],
  );
  const rows = chunks.map((chunk, at) => {
    const { id, sourceStart, sourceEnd, interval } = chunk;
    const position = planned + at;
    const state: ChunkState = chunk === first ? 'requested' : unfinished.has(id) ? 'planned' : 'done';
    const leaseUntil = chunk === first ? lease : null;
    return { id, position, source_start: sourceStart, source_end: sourceEnd, interval, state, lease_until: leaseUntil };
  });
  await insertPages(manager, INSERT_CHUNKS, jobId, rows);
  await insertPages(manager, INSERT_ANALYSES, jobId, analyses);
  if (first !== undefined) await enqueue(manager, [chunkRequest({ jobId, traceparent }, first)]);
}

/** A long film has tens of thousands of rows: their values go as one parameter, in pages that hold nobody up for long. */
async function insertPages(manager: EntityManager, insert: string, jobId: string, rows: object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 1000) {
    await manager.query(insert, [jobId, JSON.stringify(rows.slice(at, at + 1000))]);
  }
}

const INSERT_CHUNKS = `
  INSERT INTO chunks (id, job_id, position, source_start, source_end, interval, state, lease_until)
  SELECT id, $1, position, source_start, source_end, nullif(interval, 'null'), state, lease_until
    FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, position int, source_start int, source_end int, interval jsonb,
                                             state text, lease_until timestamptz)`;

const INSERT_ANALYSES = `
  INSERT INTO chunk_analyses (chunk_id, digest, job_id, state, units)
  SELECT chunk_id, digest, $1, state, nullif(units, 'null')
    FROM jsonb_to_recordset($2::jsonb) AS r (chunk_id uuid, digest text, state text, units jsonb)`;

/** Tells the scheduler and the aggregator that a source was opened or refused. */
export async function announceSource(manager: EntityManager, locked: LockedJob, sourceIndex: number): Promise<void> {
  const { id: jobId, traceparent } = locked.job;
  const payload = { sourceIndex };
  await enqueue(manager, [{ topic: 'sources.planned', key: jobId, jobId, traceparent, payload }]);
}
