import { AditError } from '@adit/contracts';
import {
  failLostLive,
  IdentityCache,
  LockedJob,
  moveFolds,
  moveKey,
  repeatLost,
  type Identities,
  type LostObservations,
} from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { announcementsOf, endedWithout } from './announced-segments.js';
import { Folding, type Folded } from './folding.js';
import { JobEndings, type Ending } from '../endings/complete-jobs.js';
import { progressOf } from '../endings/job-progress.js';
import { FaceIndexing } from './indexed-faces.js';
import { KeptPictures } from './kept-pictures.js';
import { ProgressPace } from './progress-pace.js';
import { ObservationsLost, ReadyChunks, StillAnalysed, type ReadyFold } from './ready-chunks.js';
import { insertSegments, insertSummaries, type ModuleResults } from './store-results.js';
import { CHUNKS_PER_BATCH, FOLDS_PER_BATCH, WaitingFolds, type WaitingFold } from './waiting-folds.js';

const log = createLogger('aggregator');

/** A fold with its result: its advance, or the reason why there is none. */
type Outcome = { fold: WaitingFold } & ({ folded: Folded } | { problem: AditError } | { lost: LostObservations });

/** Result of a transaction. */
interface Stored {
  /** End of the job that is left to do, when the last module ended with this. */
  ended: Ending | null;
  identities: Identities | null;
}

/** Advances the folds of a job as far as their analysed chunks reach: one read and one transaction for all modules. */
@Injectable()
export class FoldAdvance {
  private readonly identities = new IdentityCache();

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(WaitingFolds) private readonly waiting: WaitingFolds,
    @Inject(ReadyChunks) private readonly chunks: ReadyChunks,
    @Inject(Folding) private readonly folding: Folding,
    @Inject(KeptPictures) private readonly pictures: KeptPictures,
    @Inject(ProgressPace) private readonly pace: ProgressPace,
    @Inject(JobEndings) private readonly endings: JobEndings,
    @Inject(FaceIndexing) private readonly faces: FaceIndexing,
  ) {}

  /**
   * Folds until all folds are closed or have to wait. A fold that throws fails its module, with the reason. Returns
   * true when anything changed, and the end to do when this ended the last module. Throws UNAVAILABLE.
   */
  async advance(jobId: string): Promise<{ folded: boolean; ended: Ending | null }> {
    for (let folded = false; ; folded = true) {
      const waiting = await this.waiting.of(jobId);
      const ready = waiting.length === 0 ? [] : await this.chunks.of(waiting);
      if (ready.length === 0) return { folded, ended: null };
      const outcomes = await this.outcomes(ready);
      // They continue when the analysis ends that they wait for.
      if (outcomes.length === 0) return { folded, ended: null };
      const ended = await this.step(jobId, outcomes);
      if (ended !== null || !mayHaveMore(waiting, ready)) return { folded: true, ended };
    }
  }

  /** Advances the folds that can go on. */
  private async outcomes(ready: ReadyFold[]): Promise<Outcome[]> {
    const read = this.chunks.reader();
    const outcomes: Outcome[] = [];
    for (const each of ready) {
      const outcome = await this.fold(each, read);
      if (outcome !== null) outcomes.push(outcome);
    }
    return outcomes;
  }

  private async step(jobId: string, outcomes: Outcome[]): Promise<Ending | null> {
    const pictures = await this.faces.read(outcomes.flatMap((one) => ('folded' in one ? one.folded.segments : [])));
    const { ended, identities } = await this.outbox.transaction((manager) =>
      this.store(manager, jobId, outcomes, pictures),
    );
    identities?.keep();
    return ended;
  }

  /** Advances a fold; null when it has to wait for a chunk that it had passed already. */
  private async fold(ready: ReadyFold, read: ReturnType<ReadyChunks['reader']>): Promise<Outcome | null> {
    const { fold } = ready;
    const { jobId, moduleId } = fold.module;
    try {
      const folded = await this.folding.run(ready, read);
      folded.segments = await this.pictures.keep(jobId, folded.segments);
      return { fold, folded };
    } catch (error) {
      if (error instanceof StillAnalysed) return null;
      if (error instanceof ObservationsLost) {
        log.warn({ jobId, ...error.lost }, 'observations are missing; their chunk is analysed again');
        return { fold, lost: error.lost };
      }
      const problem = AditError.from(error);
      if (problem.code === 'UNAVAILABLE') throw error;
      log.error({ jobId, module: moduleId, err: problem }, 'a fold failed');
      return { fold, problem };
    }
  }

  /**
   * Writes segments, states and progress of folds that no other process has advanced meanwhile; the loser drops its
   * work.
   */
  private async store(
    manager: EntityManager,
    jobId: string,
    outcomes: Outcome[],
    pictures: ReadonlyMap<string, Buffer>,
  ): Promise<Stored> {
    const locked = await LockedJob.take(manager, jobId);
    if (!locked?.isActive) return { ended: null, identities: null };
    const active = new Map(locked.activeModules.map((module) => [module.moduleId, module]));
    const further = outcomes.flatMap((outcome) => {
      const module = active.get(outcome.fold.module.moduleId);
      if (module === undefined || !('folded' in outcome)) return [];
      return [{ module, ...outcome, announced: announcementsOf(outcome.fold, outcome.folded, module) }];
    });
    const moves = further.map(({ fold, folded, module: { moduleId }, announced }) => ({
      moduleId,
      sourceIndex: fold.sourceIndex,
      before: fold.nextChunk,
      nextChunk: fold.nextChunk + folded.chunks,
      chunkIds: fold.nextIds.slice(0, folded.chunks),
      state: folded.state,
      closed: folded.closed,
      announced: announced?.open ?? null,
    }));
    const { moved, progress } = await moveFolds(manager, jobId, moves);
    const stored = further.filter(({ fold: { sourceIndex }, module: { moduleId } }) =>
      moved.has(moveKey({ moduleId, sourceIndex })),
    );
    const results = stored.map(({ fold: { sourceIndex }, folded, module }): ModuleResults => ({
      ...folded,
      module,
      sourceIndex,
    }));
    const counted = new Map(results.map(({ module }) => [module, module.segmentCount]));
    const identities = this.identities.of(manager, jobId);
    const faces = this.faces.of(manager, locked.job, pictures);
    await insertSegments(manager, locked.job, results, identities, faces);
    await insertSummaries(manager, jobId, results, identities);
    await identities.flush();
    await locked.addErrors(await faces.flush());
    for (const [module, before] of counted) {
      locked.setProgress(module, progressOf(progress, module.moduleId));
      locked.noteSegments(module, before);
    }
    for (const { module, announced } of stored) {
      if (announced !== null) locked.noteLiveSegments(module, announced.started, announced.ended);
    }
    if (results.length > 0) await this.pace.note(locked);
    for (const outcome of outcomes) {
      if ('lost' in outcome) {
        await repeatLost(manager, locked.job, outcome.lost);
        await failLostLive(manager, { chunkId: outcome.lost.chunkId });
      }
      if ('problem' in outcome) await failed(locked, outcome.fold, outcome.problem);
    }
    const ended = await this.endings.endModules(locked, progress);
    await locked.flush();
    return { ended, identities };
  }
}

/** Fails the module of a fold; what it had announced ends without a segment. */
async function failed(locked: LockedJob, fold: WaitingFold, { message }: AditError): Promise<void> {
  const module = locked.activeModules.find(({ moduleId }) => moduleId === fold.module.moduleId);
  if (module === undefined) return;
  locked.noteLiveSegments(module, [], endedWithout(fold.announced, fold));
  await locked.failModule(module.moduleId, message);
}

/** True when the read ended at a limit, so that more may follow. */
function mayHaveMore(waiting: WaitingFold[], ready: ReadyFold[]): boolean {
  if (waiting.length === FOLDS_PER_BATCH) return true;
  const asked = new Set(waiting.flatMap(({ nextIds }) => nextIds));
  return asked.size > CHUNKS_PER_BATCH || ready.some(({ chunks }) => chunks.length === CHUNKS_PER_BATCH);
}
