import { AditError, type Json, type MediaFacts } from '@adit/contracts';
import {
  columns,
  FoldEntity,
  SegmentEntity,
  SummaryEntity,
  type JobEntity,
  type JobModuleEntity,
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
import type { EntityManager } from 'typeorm';
import { endModules, progressOf, standingOf } from './job-standing.js';
import { KeptPictures } from './kept-pictures.js';
import { OpenFolds } from './open-folds.js';
import { ReadyChunks } from './ready-chunks.js';

const log = createLogger('aggregator');
const foldSeconds = histogram('adit_fold_seconds', 'Time to fold the chunks that were ready', ['module']);

/** A fold that can be taken further. */
export interface OpenFold {
  fold: FoldEntity;
  module: JobModuleEntity;
  /** Of its film, or of the first image; null when that was refused. */
  facts: MediaFacts | null;
}

interface Folded {
  state: string;
  segments: Segment[];
  summaries: Summary[];
  chunks: number;
  closed: boolean;
}

interface Stored {
  fold: FoldEntity;
  /** The job, when its last module ended with this. */
  ended: LockedJob | null;
}

/** Takes folds as far as their analysed chunks reach. */
@Injectable()
export class FoldAdvance {
  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(OpenFolds) private readonly folds: OpenFolds,
    @Inject(ReadyChunks) private readonly chunks: ReadyChunks,
    @Inject(KeptPictures) private readonly pictures: KeptPictures,
  ) {}

  /**
   * Folds until the fold closes or has to wait. A fold that throws fails its module, with the reason. Returns the job
   * when this ended its last module.
   */
  async advance(open: OpenFold): Promise<LockedJob | null> {
    const { module } = open;
    let { fold } = open;
    try {
      for (;;) {
        const next = await this.step({ ...open, fold });
        if (next === null) return null;
        if (next.ended !== null) return next.ended;
        fold = next.fold;
      }
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.code === 'UNAVAILABLE') throw error;
      log.error({ jobId: module.jobId, module: module.moduleId, err: problem }, 'a fold failed');
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, module.jobId);
        if (locked?.isActive) await locked.failModule(module.moduleId, problem.message);
      });
      return null;
    }
  }

  /** One transaction's worth. Returns the fold as stored, or null when there is nothing more to do now. */
  private async step(open: OpenFold): Promise<Stored | null> {
    const { module, fold } = open;
    if (fold.closed) return null;
    const ready = await this.chunks.read(fold, module);
    if (ready.length === 0 && fold.nextChunk < fold.chunkIds.length) return null;
    const done = foldSeconds.startTimer({ module: module.moduleId });
    const folded = await this.fold(open, ready);
    folded.segments = await this.pictures.keep(module.jobId, folded.segments);
    const stored = await this.outbox.transaction((manager) => this.store(manager, module, fold, folded));
    done();
    return stored;
  }

  private async fold({ module, fold: stored, facts }: OpenFold, ready: FoldInput[][]): Promise<Folded> {
    const definition = this.modules.get(module.moduleId);
    const fold = await this.folds.get(module);
    const context: FoldContext = {
      sourceIndex: stored.sourceIndex === ALL_IMAGES ? null : stored.sourceIndex,
      facts: facts ?? { kind: 'image', format: 'jpeg', width: 1, height: 1 },
    };
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

  /** Writes segments, state and progress if nobody has folded these chunks meanwhile; the loser drops its work. */
  private async store(
    manager: EntityManager,
    { jobId, moduleId }: JobModuleEntity,
    before: FoldEntity,
    folded: Folded,
  ): Promise<Stored | null> {
    const locked = await LockedJob.take(manager, jobId);
    const module = locked?.activeModules.find((candidate) => candidate.moduleId === moduleId);
    if (!locked?.isActive || module === undefined) return null;
    const standing = await standingOf(manager, jobId);
    const { sourceIndex } = before;
    const own = standing.folds.find((each) => each.moduleId === moduleId && each.sourceIndex === sourceIndex);
    if (own === undefined) return null;
    const fold = Object.assign(new FoldEntity(), before);
    if (own.nextChunk !== before.nextChunk || own.closed) {
      return { fold: await manager.findOneByOrFail(FoldEntity, { jobId, moduleId, sourceIndex }), ended: null };
    }
    const known = module.segmentCount;
    await insertSegments(manager, locked.job, module, folded.segments);
    await insertSummaries(manager, module, Math.max(0, sourceIndex), folded.summaries);
    fold.nextChunk += folded.chunks;
    fold.state = folded.state;
    fold.closed = folded.closed;
    const { nextChunk, state, closed } = fold;
    await manager.update(FoldEntity, { jobId, moduleId, sourceIndex }, { nextChunk, state, closed });
    Object.assign(own, { nextChunk, closed });
    setProgress(locked, module, progressOf(standing, moduleId, locked.job.sources.length));
    locked.noteSegments(module, known);
    locked.noteProgress(module);
    const ended = closed && (await endModules(locked, standing));
    await locked.flush();
    return { fold, ended: ended ? locked : null };
  }
}

/** A range of an image job is a range of its images. */
function wantsImage({ range }: JobModuleEntity, { unit }: FoldInput): boolean {
  if (unit.interval !== null) return true;
  const wanted = imageRange(range, Infinity);
  return wanted !== null && unit.sourceIndex >= wanted.from && unit.sourceIndex <= wanted.to;
}

/** Numbers and inserts them; the caller writes the new counts of the job and the module. */
async function insertSegments(
  manager: EntityManager,
  job: JobEntity,
  module: JobModuleEntity,
  segments: Segment[],
): Promise<void> {
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

function setProgress(locked: LockedJob, module: JobModuleEntity, progress: number): void {
  module.progress = progress;
  const sum = locked.modules.reduce((total, each) => total + each.progress, 0);
  locked.job.progress = Math.min(0.99, sum / locked.modules.length);
}
