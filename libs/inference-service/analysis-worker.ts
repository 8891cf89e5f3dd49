import type { BusContext } from '@adit/bus';
import {
  AditError,
  dropOldest,
  inputOf,
  type AnalysisRequested,
  type ChunkUse,
  type Topic,
  type Unit,
  type UnitOutcome,
} from '@adit/contracts';
import {
  attemptsOf,
  claimAttempt,
  claimWaitingAnalysis,
  leasedAnalysis,
  requeue,
  runAttempt,
  type Claim,
  type LeasedWork,
} from '@adit/leases';
import { OutboxRelay, type OutboxMessage } from '@adit/outbox';
import {
  deferAnalysis,
  failAnalyses,
  JOB_SETTINGS,
  knownKey,
  knownObservations,
  mediaGenerations,
  observationPrefix,
  reasonOf,
  failLostLive,
  redecode,
  rememberedObservations,
  type JobSettings,
  type KnownObservations,
} from '@adit/jobs';
import { encodeJpeg } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { buildVersion, createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import { AnalysisRegistry, AnalysisRunner, type Provider } from '@adit/inference';
import { mediaSeconds, progressOf, readWork, type AnalysisWork } from './analysis-work.js';
import { CanaryRunner } from './canary-runner.js';
import { ExclusiveGate } from './exclusive-gate.js';
import { analysisSeconds } from './metrics.js';
import { openInput } from './pack-source.js';
import { decoderOf, compatibilityOf, type Compatibility } from './compatibility.js';

const log = createLogger('inference');
const ENGINE_VERSION = buildVersion();
/** Digests of other builds that are remembered. */
const MAX_FOREIGN = 100;
/** Units of one chunk (its images) that are analysed concurrently, so that their rows can share batches. */
const UNIT_CONCURRENCY = 4;
/**
 * Seconds that work for another build waits for a process of that build: longer than a rolling upgrade leaves it
 * without one.
 */
const UNSERVED_SECONDS = 300;

/** Subscriber of analyses.<name>.requested: analyses one chunk and stores its observations. */
@Injectable()
export class AnalysisWorker {
  private readonly gate = new ExclusiveGate();
  /** Digests that another build gives, of the last ones that came. */
  private readonly foreign = new Set<string>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) private readonly runner: AnalysisRunner,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(CanaryRunner) private readonly canaries: CanaryRunner,
  ) {}

  /** From the second attempt on a chunk runs alone, so that a crash is attributed to it. */
  async handle(request: AnalysisRequested, context: BusContext): Promise<void> {
    const tried = leasedAnalysis(request.chunkId, request.analysisDigest);
    const begun = await attemptsOf(this.db, tried);
    if (begun === null) return;
    if (begun >= context.envelope.attempt) return this.putBehind(tried, begun, request, context);
    // Counted inside the gate, since work that only waits for a suspect must not be blamed for its crash.
    await this.gate.run(begun > 0, async () => {
      // Inside the gate as well, since work that has just left may have queued a candidate.
      if (begun > 0) await this.canaries.yieldToSuspect();
      await this.attempt(tried, request, context.signal);
    });
  }

  /** The message requested an attempt that has already begun, so it was redelivered after a crash or a failure. */
  private putBehind(tried: LeasedWork, begun: number, payload: AnalysisRequested, context: BusContext): Promise<void> {
    const { jobId, traceparent } = context.envelope;
    // Topic of the subscription.
    const message = { topic: context.topic as Topic, key: context.key, jobId, traceparent, payload };
    return requeue(this.outbox, tried, begun, { message, settings: this.settings });
  }

  /**
   * Does an analysis of that name whose message waits behind the work of another process, and tells `claimed` whether there is
   * one. That message then finds it claimed; after a failure of this attempt, another one requests the next.
   */
  async takeWaiting(analysis: string, signal: AbortSignal, claimed: (isClaimed: boolean) => void): Promise<void> {
    // Claimed inside the gate, as `handle` does.
    await this.gate.run(false, async () => {
      const wanted = { analysis, foreign: [...this.foreign] };
      // The process may end while it waits for the gate.
      const next = signal.aborted ? null : await claimWaitingAnalysis(this.db, wanted, this.settings.leaseSeconds);
      claimed(next !== null);
      if (next === null) return;
      const { chunkId, digest: analysisDigest, ...claim } = next;
      await this.begin(leasedAnalysis(chunkId, analysisDigest), claim, { chunkId, analysisDigest }, signal);
    });
  }

  private async attempt(tried: LeasedWork, request: AnalysisRequested, signal: AbortSignal): Promise<void> {
    const claim = await claimAttempt(this.db, tried, this.settings.leaseSeconds);
    if (claim !== null) await this.begin(tried, claim, request, signal);
  }

  private async begin(tried: LeasedWork, claim: Claim, request: AnalysisRequested, signal: AbortSignal): Promise<void> {
    const { chunkId, analysisDigest } = request;
    const work = await readWork(this.db.manager, request, {
      alone: claim.attempt > 1,
      isLastTry: claim.attempt >= this.settings.maxAttempts,
    });
    if (work === null) return;
    const { id: jobId, traceparent } = work.job;
    await runAttempt(
      { db: this.db, settings: this.settings, work: tried, ...claim, signal, progress: () => progressOf(work) },
      (signal) => this.work(work, signal),
      async (problem, isOurs) => {
        log.warn({ chunkId, analysis: work.request.analysis, err: problem }, 'a chunk cannot be analysed');
        await this.outbox.transaction(async (manager) => {
          if (!(await isOurs(manager))) return;
          const job = { jobId, traceparent };
          await failAnalyses(manager, job, chunkId, [analysisDigest], problem.message, modelHasGone(problem));
        });
      },
    );
  }

  private async work(work: AnalysisWork, signal: AbortSignal): Promise<void> {
    const compatibility = compatibilityOf(this.analyses, work.request);
    if (compatibility !== 'own') {
      this.foreign.add(work.request.digest);
      dropOldest(this.foreign, MAX_FOREIGN);
      await this.leaveToOthers(work, compatibility);
    }
    const start = performance.now();
    try {
      const outcomes = await this.analyse(work, signal);
      await this.publish(work, outcomes, { ...work.use, wall: (performance.now() - start) / 1000 });
      this.canaries.add(work.canaries);
    } catch (error) {
      if (AditError.from(error).code !== 'PACK_MISSING') throw error;
      await this.outbox.transaction(async (manager) => {
        await redecode(manager, work.chunk.id);
        await failLostLive(manager, { chunkId: work.chunk.id });
      });
    }
  }

  /**
   * Defers work of another build without blame, so that a process of that build takes it. When none has for as long as
   * an upgrade takes, this process does it as well as it can and caches nothing, or reports that it cannot.
   */
  private async leaveToOthers(work: AnalysisWork, compatibility: Compatibility): Promise<void> {
    const { analysis, digest } = work.request;
    if ((await deferAnalysis(this.db, work.chunk.id, digest)) < UNSERVED_SECONDS) {
      throw new AditError(
        'UNAVAILABLE',
        `The job asks for ${analysis} as another build does it; this one leaves it to that.`,
      );
    }
    if (compatibility === 'unknown') {
      throw new AditError(
        'CONFLICT',
        `No process does ${analysis} any more as the job asks for it: post the job again.`,
      );
    }
    log.warn({ chunkId: work.chunk.id, analysis }, 'no process of the requested build is left; its work is done here');
    work.keepCache = false;
  }

  private async analyse(work: AnalysisWork, signal: AbortSignal): Promise<UnitOutcome[]> {
    const { job, request, units, alone } = work;
    const digests = units.map((unit) => unit.mediaDigest);
    const known = await knownObservations(this.db.manager, job.workspaceId, digests, [request.digest]);
    const folders = work.keepCache
      ? await mediaGenerations(this.db.manager, job.workspaceId, digests)
      : new Map<string, string>();
    const limit = pLimit(alone ? 1 : UNIT_CONCURRENCY);
    return Promise.all(
      units.map((unit) =>
        limit(async (): Promise<UnitOutcome> => {
          const { sourceIndex } = unit;
          try {
            const seen =
              known.get(knownKey(unit, request.digest)) ?? (await this.analyseUnit(work, unit, folders, signal));
            return { sourceIndex, ...seen, error: null };
          } catch (error) {
            const problem = AditError.from(error);
            if (unit.kind !== 'image' || problem.code === 'PACK_MISSING' || modelHasGone(problem)) throw error;
            if (signal.aborted || problem.code === 'UNAVAILABLE' || (problem.retryable && !work.isLastTry)) throw error;
            return { sourceIndex, observations: null, error: reasonOf(problem.message) };
          } finally {
            work.done.set(sourceIndex, 1);
          }
        }),
      ),
    );
  }

  /** Runs the analysis on one unit. */
  private async analyseUnit(
    work: AnalysisWork,
    unit: Unit,
    folders: Map<string, string>,
    signal: AbortSignal,
  ): Promise<KnownObservations> {
    const { job, chunk, request } = work;
    const input = await openInput(this.objects, unit, chunk.packs?.[unit.sourceIndex], inputOf(request));
    // Input of another decoder version is analysed, but the result is not cached under the request.
    if (input.packs.some(({ decoder }) => decoder !== decoderOf(request))) work.keepCache = false;
    await this.canaries.refresh();
    const folder = work.keepCache ? (folders.get(unit.mediaDigest) ?? null) : null;
    const prefix = observationPrefix(job, unit, request.digest, folder);
    const done = analysisSeconds.startTimer({ analysis: request.analysis });
    const providers = new Set<Provider>();
    const observations = await this.runner.run({
      analysis: this.analyses.get(request.analysis),
      args: request.args,
      models: request.models,
      input,
      keepPicture: async (name, image, options) => {
        const { data, width, height } = await encodeJpeg(image, { maxSide: options?.maxSide });
        const key = `${prefix}${name}.jpg`;
        await this.objects.put(key, data);
        return { key, width, height };
      },
      signal,
      onProgress: (part) => work.done.set(unit.sourceIndex, part),
      onNetwork: ({ provider }) => providers.add(provider),
      spent: work.use,
    });
    done();
    work.use.media += mediaSeconds(unit);
    const key = `${prefix}observations.json`;
    await this.objects.put(key, Buffer.from(JSON.stringify(observations)));
    await this.canaries.keep(work.canaries, { job, request, unit, input, observations, prefix });
    return { observations: key, madeBy: { engine: ENGINE_VERSION, providers: [...providers].sort() } };
  }

  private async publish(work: AnalysisWork, outcomes: UnitOutcome[], use: ChunkUse): Promise<void> {
    const { job, chunk, request, units, keepCache } = work;
    const message: OutboxMessage<'chunks.analysed'> = {
      topic: 'chunks.analysed',
      key: job.id,
      jobId: job.id,
      traceparent: job.traceparent,
      payload: { chunkId: chunk.id, analysisDigest: request.digest, units: outcomes, error: null, use },
    };
    const stored = { units, outcomes: keepCache ? outcomes : [], messages: [message] };
    await this.outbox.statement(...rememberedObservations(job.workspaceId, request.digest, stored));
  }
}

/** Tests for an error that affects every chunk and picture of the job. */
function modelHasGone({ code }: AditError): boolean {
  return code === 'MODEL_NOT_INSTALLED';
}
