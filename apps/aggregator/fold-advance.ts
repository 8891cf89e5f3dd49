import { AditError, type Json } from '@adit/contracts';
import {
  columns,
  FoldEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  SegmentEntity,
  SummaryEntity,
} from '@adit/database';
import { ALL_IMAGES, assignIdentity, identityLabel, imageRange, LockedJob, OutboxRelay } from '@adit/jobs';
import {
  ModuleRegistry,
  sealState,
  unsealState,
  type Fold,
  type FoldContext,
  type FoldInput,
  type Segment,
  type Summary,
} from '@adit/mining';
import { createLogger, histogram } from '@adit/runtime';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { KeptPictures } from './kept-pictures.js';
import { OpenFolds } from './open-folds.js';
import { ReadyChunks } from './ready-chunks.js';

const log = createLogger('aggregator');
const foldSeconds = histogram('adit_fold_seconds', 'Time to fold the chunks that were ready', ['module']);

interface Folded {
  state: string;
  segments: Segment[];
  summaries: Summary[];
  chunks: number;
  closed: boolean;
}

/** Takes folds as far as their analysed chunks reach. */
@Injectable()
export class FoldAdvance {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(OpenFolds) private readonly folds: OpenFolds,
    @Inject(ReadyChunks) private readonly chunks: ReadyChunks,
    @Inject(KeptPictures) private readonly pictures: KeptPictures,
  ) {}

  /** Folds until the fold closes or has to wait. A fold that throws fails its module, with the reason. */
  async advance(module: JobModuleEntity, fold: FoldEntity): Promise<void> {
    try {
      for (;;) {
        const next = await this.step(module, fold);
        if (next === null) return;
        fold = next;
      }
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.code === 'UNAVAILABLE') throw error;
      log.error({ jobId: module.jobId, module: module.moduleId, err: problem }, 'a fold failed');
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, module.jobId);
        if (locked?.isActive) await locked.failModule(module.moduleId, problem.message);
      });
    }
  }

  /** One transaction's worth. Returns the fold as stored, or null when there is nothing more to do now. */
  private async step(module: JobModuleEntity, fold: FoldEntity): Promise<FoldEntity | null> {
    if (fold.closed) return null;
    const ready = await this.chunks.read(fold, module);
    if (ready.length === 0 && fold.nextChunk < fold.chunkIds.length) return null;
    const done = foldSeconds.startTimer({ module: module.moduleId });
    const folded = await this.fold(module, fold, ready);
    folded.segments = await this.pictures.keep(module.jobId, folded.segments);
    const stored = await this.outbox.transaction((manager) => this.store(manager, module, fold, folded));
    done();
    return stored;
  }

  private async fold(module: JobModuleEntity, stored: FoldEntity, ready: FoldInput[][]): Promise<Folded> {
    const definition = this.modules.get(module.moduleId);
    const fold = await this.folds.get(module);
    const context = await this.contextOf(stored);
    let state = await this.stateOf(fold, stored, module, context);
    const segments: Segment[] = [];
    for (const inputs of ready) {
      for (const input of inputs) {
        if (!wantsImage(module, input)) continue;
        const step = fold.fold(state, input, { ...context, facts: input.unit.facts });
        state = step.state;
        segments.push(...step.segments);
      }
    }
    const chunks = ready.length;
    const closed = stored.nextChunk + chunks === stored.chunkIds.length;
    const end = closed ? fold.close(state, context) : { segments: [], summaries: [] };
    return {
      state: sealState(definition, closed ? null : state),
      segments: [...segments, ...end.segments],
      summaries: end.summaries,
      chunks,
      closed,
    };
  }

  /** A state that another version of the module wrote is built anew from the observations, without emitting again. */
  private async stateOf(fold: Fold<Json>, stored: FoldEntity, module: JobModuleEntity, context: FoldContext) {
    if (stored.state === null) return fold.start(context);
    const state = unsealState<Json>(this.modules.get(module.moduleId), stored.state);
    if (state !== null) return state;
    let rebuilt = fold.start(context);
    const replayed = Object.assign(new FoldEntity(), stored);
    for (replayed.nextChunk = 0; replayed.nextChunk < stored.nextChunk;) {
      const ready = (await this.chunks.read(replayed, module)).slice(0, stored.nextChunk - replayed.nextChunk);
      if (ready.length === 0) throw new AditError('INTERNAL', 'Observations of a running job are gone.');
      for (const input of ready.flat()) {
        if (wantsImage(module, input))
          rebuilt = fold.fold(rebuilt, input, { ...context, facts: input.unit.facts }).state;
      }
      replayed.nextChunk += ready.length;
    }
    return rebuilt;
  }

  private async contextOf({ jobId, sourceIndex }: FoldEntity): Promise<FoldContext> {
    const index = Math.max(0, sourceIndex);
    const source = await this.db.manager.findOneByOrFail(JobSourceEntity, { jobId, index });
    const facts = source.facts ?? { kind: 'image', format: 'jpeg', width: 1, height: 1 };
    return { sourceIndex: sourceIndex === ALL_IMAGES ? null : sourceIndex, facts };
  }

  /** Writes segments, state and progress if nobody has folded these chunks meanwhile; the loser drops its work. */
  private async store(
    manager: EntityManager,
    { jobId, moduleId }: JobModuleEntity,
    before: FoldEntity,
    folded: Folded,
  ): Promise<FoldEntity | null> {
    const locked = await LockedJob.take(manager, jobId);
    const module = locked?.activeModules.find((candidate) => candidate.moduleId === moduleId);
    if (!locked?.isActive || module === undefined) return null;
    const key = { jobId, moduleId, sourceIndex: before.sourceIndex };
    const fold = await manager.findOneByOrFail(FoldEntity, key);
    if (fold.nextChunk !== before.nextChunk || fold.closed) return fold;
    const known = module.segmentCount;
    await insertSegments(manager, locked.job, module, folded.segments);
    await insertSummaries(manager, module, Math.max(0, before.sourceIndex), folded.summaries);
    fold.nextChunk += folded.chunks;
    fold.state = folded.state;
    fold.closed = folded.closed;
    await manager.update(FoldEntity, key, { nextChunk: fold.nextChunk, state: fold.state, closed: fold.closed });
    await updateProgress(manager, locked, module);
    await locked.raiseSegments(module, known);
    await locked.raiseProgress();
    return fold;
  }
}

/** A range of an image job is a range of its images. */
function wantsImage({ range }: JobModuleEntity, { unit }: FoldInput): boolean {
  if (unit.interval !== null) return true;
  const wanted = imageRange(range, Infinity);
  return wanted !== null && unit.sourceIndex >= wanted.from && unit.sourceIndex <= wanted.to;
}

async function insertSegments(
  manager: EntityManager,
  job: JobEntity,
  module: JobModuleEntity,
  segments: Segment[],
): Promise<void> {
  if (segments.length === 0) return;
  const rows: Partial<SegmentEntity>[] = [];
  for (const { claim, ...segment } of segments) {
    rows.push({
      ...segment,
      jobId: job.id,
      moduleId: module.moduleId,
      seq: job.segmentCount++,
      moduleSeq: module.segmentCount++,
      identityCollection: claim?.collection ?? null,
      identityNumber: claim === undefined ? null : await assignIdentity(manager, job.id, claim),
    });
  }
  for (let at = 0; at < rows.length; at += 500) {
    await manager.insert(
      SegmentEntity,
      rows.slice(at, at + 500).map((row) => columns<SegmentEntity>(row)),
    );
  }
  await manager.update(JobEntity, { id: job.id }, { segmentCount: job.segmentCount });
  const { jobId, moduleId, segmentCount } = module;
  await manager.update(JobModuleEntity, { jobId, moduleId }, { segmentCount });
}

async function insertSummaries(
  manager: EntityManager,
  { jobId, moduleId }: JobModuleEntity,
  sourceIndex: number,
  summaries: Summary[],
): Promise<void> {
  if (summaries.length === 0) return;
  const first = await manager.countBy(SummaryEntity, { jobId });
  const rows: Partial<SummaryEntity>[] = [];
  for (const { type, meta, groups = [], sourceIndex: picture = sourceIndex } of summaries) {
    const named = { ...meta };
    for (const { claim, value } of groups) {
      const label = identityLabel(await assignIdentity(manager, jobId, claim));
      // The job may know two of them as one.
      named[label] = (named[label] ?? 0) + value;
    }
    rows.push({ jobId, moduleId, sourceIndex: picture, type, meta: named, seq: first + rows.length, id: randomUUID() });
  }
  for (let at = 0; at < rows.length; at += 500) {
    await manager.insert(
      SummaryEntity,
      rows.slice(at, at + 500).map((row) => columns<SummaryEntity>(row)),
    );
  }
}

/** Folded share of all sources; what is not planned yet counts as nothing, what failed as done. */
async function updateProgress(manager: EntityManager, locked: LockedJob, module: JobModuleEntity): Promise<void> {
  const { jobId, moduleId } = module;
  const folds = await manager.find(FoldEntity, {
    where: { jobId, moduleId },
    select: { jobId: true, moduleId: true, sourceIndex: true, nextChunk: true, chunkIds: true, closed: true },
  });
  const share = (fold: FoldEntity): number => (fold.closed ? 1 : fold.nextChunk / fold.chunkIds.length);
  const failed = await manager.countBy(JobSourceEntity, { jobId, state: 'failed' });
  const films = folds.some((fold) => fold.sourceIndex !== ALL_IMAGES);
  const sum = folds.reduce((total, fold) => total + share(fold), films ? failed : 0);
  module.progress = Math.min(1, sum / (films ? locked.job.sources.length : 1));
  await manager.update(JobModuleEntity, { jobId, moduleId }, { progress: module.progress });
  const progress = locked.modules.reduce((total, each) => total + each.progress, 0) / locked.modules.length;
  locked.job.progress = Math.min(0.99, progress);
  await manager.update(JobEntity, { id: jobId }, { progress: locked.job.progress });
}
