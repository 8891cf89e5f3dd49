import { randomUUID } from 'node:crypto';
import { imageRange, inputKindOf, type MediaFacts, type Span } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { insertChunks, type Slot, type PlannedChunk } from './chunk-rows.js';
import { CHUNKS_PER_PAGE, releaseDrafts, removeUnfolded } from './chunk-states.js';
import { setImagesPlanned, setSourceMedia, setSourcePlanned } from './source-states.js';
import { extentName } from '../keys.js';
import { inputKinds } from './media-kinds.js';
import { LockedJob } from '../state/locked-job.js';
import { holdMedia, knownKey, knownObservations } from './observation-cache.js';
import type { OutboxRelay } from '@adit/outbox';
import { ALL_IMAGES, foldedModules, insertFold } from './fold-states.js';
import { announceSource } from './source-plan.js';

/** Spans that one module analyses of a source, or of all images of a job. */
export interface ModuleSpans {
  moduleId: string;
  spans: Span[];
}

/** Plan of an opened source, or of all images of a job from the first that was opened; `writePlan` writes it. */
export interface ChunkPlan {
  /** Source that was opened. */
  sourceIndex: number;
  media: { digest: string; facts: MediaFacts };
  /** Chunks in the order in which they are analysed. */
  chunks: PlannedChunk[];
  folds: { moduleId: string; chunkIds: string[] }[];
  slot: Slot;
}

/** Images of a chunk, `wanted` by the settings: a job's plan of images is one page. */
export function imagesPerChunk(wanted: number, sources: number): number {
  return Math.max(wanted, Math.ceil(sources / CHUNKS_PER_PAGE));
}

/**
 * Plans what each module wants of an opened source: its chunks, and one fold for each module that has none of it yet, or of
 * the images. A chunk is of frames or of sound, and has those analyses that see or hear it; one fold reads both in the order of
 * time.
 */
export async function planChunks(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  media: { digest: string; facts: MediaFacts },
  wanted: ModuleSpans[],
  slot: Slot = null,
): Promise<ChunkPlan> {
  const chunks = new Map<string, PlannedChunk>();
  const folded = await foldedModules(manager, locked.job.id, foldIndex(sourceIndex, media.facts));
  const kinds = await inputKinds(manager, locked.job.id);
  const byTime = inOrderOf(media.facts);
  const folds: ChunkPlan['folds'] = [];
  for (const { moduleId, spans } of wanted) {
    if (folded.has(moduleId)) continue;
    const module = locked.module(moduleId);
    const digests = Object.values(module.analyses);
    const chunkIds = [...spans].sort(byTime).map((span) => {
      const key = `${span.sourceStart}/${extentName(span.extent)}`;
      let chunk = chunks.get(key);
      if (chunk === undefined) {
        chunk = { id: randomUUID(), ...span, digests: new Set() };
        chunks.set(key, chunk);
      }
      const input = inputKindOf(span.extent.kind);
      for (const digest of digests) if (kinds.get(digest) === input) chunk.digests.add(digest);
      return chunk.id;
    });
    folds.push({ moduleId, chunkIds });
  }
  const inOrder = [...chunks.values()].sort(byTime);
  return { sourceIndex, media, chunks: inOrder, folds, slot };
}

/** The source index of its folds: those of images cover all of a job. */
function foldIndex(sourceIndex: number, facts: MediaFacts): number {
  return facts.kind === 'image' ? ALL_IMAGES : sourceIndex;
}

/** By where they begin, then by where they end; of frames and sound of the same time the frames come first. */
function inOrderOf(facts: MediaFacts): (a: Span, b: Span) => number {
  const seconds = (pts: number): number =>
    facts.kind === 'video' ? ((pts - facts.startPts) * facts.timeBase.num) / facts.timeBase.den : pts;
  const timesOf = ({ sourceStart, sourceEnd, extent }: Span): [start: number, end: number, kind: number] => {
    switch (extent.kind) {
      case 'image':
        return [extent.page ?? sourceStart, extent.page ?? sourceEnd, 0];
      case 'video':
        return [seconds(extent.interval.ptsStart), seconds(extent.interval.ptsEnd), 0];
      case 'audio':
        return [extent.interval.startMs / 1000, extent.interval.endMs / 1000, 1];
    }
  };
  return (a, b) => {
    const [startA, endA, kindA] = timesOf(a);
    const [startB, endB, kindB] = timesOf(b);
    return startA - startB || endA - endB || kindA - kindB;
  };
}

/** Progress of writing a plan. */
interface Written {
  plan: ChunkPlan;
  /** Number of chunks written so far. */
  chunks: number;
  isWhole: boolean;
}

/**
 * Writes the plan that `make` returns in pages, each in a transaction of its own, so that others get their time slice
 * between them. Chunks are not dispatched, and the source is not planned, before the last page has written the folds.
 * The next attempt of the source removes a plan that was cut off earlier. Returns silently when the job has ended, or
 * another process plans the source. `make` runs in the first transaction; it returns null when there is nothing to
 * write.
 */
export async function writePlan(
  outbox: Pick<OutboxRelay, 'transaction'>,
  jobId: string,
  make: (manager: EntityManager, locked: LockedJob) => Promise<ChunkPlan | null>,
  signal?: AbortSignal,
): Promise<void> {
  const writeNext = (former: Written | null): Promise<Written | null> =>
    outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked === null || !locked.isActive) return null;
      if (former !== null) return (await stands(manager, jobId, former)) ? writePage(manager, locked, former) : null;
      const plan = await make(manager, locked);
      return plan === null ? null : writePage(manager, locked, { plan, chunks: 0, isWhole: false });
    });
  let written = await writeNext(null);
  while (written?.isWhole === false) {
    signal?.throwIfAborted();
    written = await writeNext(written);
  }
  if (written === null || written.chunks <= CHUNKS_PER_PAGE) return;
  while ((await outbox.transaction(releaseDrafts)) === CHUNKS_PER_PAGE);
}

/** True while the source is still being opened and no other process has begun its plan anew, which removes this one. */
async function stands(manager: EntityManager, jobId: string, { plan, chunks }: Written): Promise<boolean> {
  const [row]: { stands: boolean }[] = await manager.query(
    `SELECT state = 'requested' AND ($3::uuid IS NULL OR EXISTS (SELECT 1 FROM chunks WHERE id = $3)) AS stands
       FROM job_sources WHERE job_id = $1 AND index = $2`,
    [jobId, plan.sourceIndex, plan.chunks[chunks - 1]?.id ?? null],
  );
  return row?.stands === true;
}

async function writePage(manager: EntityManager, locked: LockedJob, former: Written): Promise<Written> {
  const { plan, chunks: from } = former;
  if (plan.media.facts.kind === 'image') return writeImages(manager, locked, plan);
  const { sourceIndex, media } = plan;
  const { id: jobId, workspaceId } = locked.job;
  if (from === 0 && (await removeUnfolded(manager, jobId, sourceIndex)) === CHUNKS_PER_PAGE) return former;
  const page = plan.chunks.slice(from, from + CHUNKS_PER_PAGE);
  const chunks = from + page.length;
  const isWhole = chunks === plan.chunks.length;
  const isOnly = isWhole && from === 0;
  // Media facts are in use from now on, and kept.
  if (from === 0) await holdMedia(manager, workspaceId, media.digest);
  if (from === 0 && !isWhole) await setSourceMedia(manager, jobId, sourceIndex, media);
  const digests = [...new Set(page.flatMap((chunk) => [...chunk.digests]))];
  const extents = page.map(({ extent }) => extent);
  const observed = await knownObservations(manager, workspaceId, [media.digest], digests, extents);
  await insertChunks(manager, locked, page, {
    known: ({ extent }, digest) => {
      const seen = observed.get(knownKey({ mediaDigest: media.digest, ...extent }, digest));
      return seen === undefined ? null : [{ sourceIndex, ...seen, error: null }];
    },
    drafted: !isOnly,
    slot: isOnly ? plan.slot : null,
  });
  if (isWhole) {
    for (const { moduleId, chunkIds } of plan.folds) await insertFold(manager, jobId, moduleId, sourceIndex, chunkIds);
    await setSourcePlanned(manager, jobId, sourceIndex, media);
    await announceSource(manager, locked, sourceIndex);
  }
  return { plan, chunks, isWhole };
}

/**
 * Writes a plan of images, which is one page. Cached observations apply when images are decoded: only one was opened.
 */
async function writeImages(manager: EntityManager, locked: LockedJob, plan: ChunkPlan): Promise<Written> {
  const { id: jobId, workspaceId } = locked.job;
  const { sourceIndex: index, media } = plan;
  await holdMedia(manager, workspaceId, media.digest);
  const isWanted = plan.folds.some(({ moduleId }) => {
    const range = imageRange(locked.module(moduleId).range, Infinity);
    return range !== null && range.from <= index && index <= range.to;
  });
  await setImagesPlanned(manager, jobId, { index, ...media, unwanted: !isWanted });
  for (const { moduleId, chunkIds } of plan.folds) await insertFold(manager, jobId, moduleId, ALL_IMAGES, chunkIds);
  await insertChunks(manager, locked, plan.chunks, { slot: plan.slot });
  await announceSource(manager, locked, index);
  return { plan, chunks: plan.chunks.length, isWhole: true };
}
