import type { BusContext } from '@adit/bus';
import { AditError, type AnalysisRequested, type Topic, type Unit, type UnitOutcome } from '@adit/contracts';
import {
  claimTry,
  enqueue,
  failAnalyses,
  goBehind,
  JOB_SETTINGS,
  knownKey,
  knownObservations,
  observationPrefix,
  OutboxRelay,
  redecode,
  rememberObservations,
  runTry,
  triedAnalysis,
  triesOf,
  type JobSettings,
  type Tried,
} from '@adit/jobs';
import { encodeJpeg } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger, histogram } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import { AnalysisRunner } from '../local-runner.js';
import { AnalysisRegistry } from '../registry.js';
import { readWork, type AnalysisWork } from './analysis-work.js';
import { ExclusiveGate } from './exclusive-gate.js';
import { openPacks } from './pack-source.js';

const log = createLogger('inference');
const analysisSeconds = histogram('adit_analysis_seconds', 'Time to analyse one unit of media', ['analysis']);
/** Units of one chunk (its images) looked at together, so that their rows can share batches. */
const UNITS_AT_ONCE = 4;

/** analyses.<name>.requested: looks at one chunk and writes its observations down. */
@Injectable()
export class AnalysisWorker {
  private readonly gate = new ExclusiveGate();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) private readonly runner: AnalysisRunner,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
  ) {}

  /** From the second try a chunk runs alone, so that a crash is nobody's but its own. */
  async handle(request: AnalysisRequested, context: BusContext): Promise<void> {
    const tried = triedAnalysis(request.chunkId, request.analysisDigest);
    const begun = await triesOf(this.db, tried);
    if (begun === null) return;
    if (begun >= context.envelope.attempt) return this.putBehind(tried, begun, request, context);
    // Counted inside the gate: what only waits for a suspect must not be blamed for its crash.
    await this.gate.run(begun > 0, () => this.try(tried, request, context.signal));
  }

  /** The message asked for a try that has begun already, so it comes back from a crash or a failure. */
  private putBehind(tried: Tried, begun: number, payload: AnalysisRequested, context: BusContext): Promise<void> {
    const { jobId, traceparent } = context.envelope;
    const message = { topic: context.topic as Topic, key: context.key, jobId, traceparent, payload };
    return goBehind(this.outbox, tried, begun, { message, settings: this.settings });
  }

  private async try(tried: Tried, request: AnalysisRequested, signal: AbortSignal): Promise<void> {
    const { chunkId, analysisDigest } = request;
    const attempt = await claimTry(this.db, tried, this.settings.leaseSeconds);
    if (attempt === null) return;
    const work = await readWork(this.db.manager, request, attempt > 1);
    if (work === null) return;
    const { id: jobId, traceparent } = work.job;
    await runTry(
      { db: this.db, settings: this.settings, work: tried, attempt, signal },
      (signal) => this.work(work, signal),
      async (problem) => {
        log.warn({ chunkId, analysis: work.request.analysis, err: problem }, 'a chunk cannot be analysed');
        await this.outbox.transaction((manager) =>
          failAnalyses(manager, { jobId, traceparent }, chunkId, [analysisDigest], problem.message),
        );
      },
    );
  }

  private async work(work: AnalysisWork, signal: AbortSignal): Promise<void> {
    try {
      await this.publish(work, await this.analyse(work, signal));
    } catch (error) {
      if (AditError.from(error).code !== 'PACK_MISSING') throw error;
      await this.outbox.transaction((manager) => redecode(manager, work.chunk.id));
    }
  }

  private async analyse(work: AnalysisWork, signal: AbortSignal): Promise<UnitOutcome[]> {
    const { job, request, units, alone } = work;
    const digests = units.map((unit) => unit.mediaDigest);
    const known = await knownObservations(this.db.manager, job.workspaceId, digests, [request.digest]);
    const limit = pLimit(alone ? 1 : UNITS_AT_ONCE);
    return Promise.all(
      units.map((unit) =>
        limit(async (): Promise<UnitOutcome> => {
          const { sourceIndex } = unit;
          const observations = known.get(knownKey(unit, request.digest));
          if (observations !== undefined) return { sourceIndex, observations, error: null };
          try {
            return { sourceIndex, observations: await this.look(work, unit, signal), error: null };
          } catch (error) {
            const problem = AditError.from(error);
            if (unit.interval !== null || problem.retryable || problem.code === 'PACK_MISSING') throw error;
            return { sourceIndex, observations: null, error: problem.message };
          }
        }),
      ),
    );
  }

  /** Runs the analysis on one unit; returns the key of its observations. */
  private async look(
    { job, chunk, request, keepCache }: AnalysisWork,
    unit: Unit,
    signal: AbortSignal,
  ): Promise<string> {
    const packs = await openPacks(this.objects, chunk.packs?.[unit.sourceIndex], request.frames);
    const prefix = observationPrefix(job, unit, request.digest, keepCache);
    const done = analysisSeconds.startTimer({ analysis: request.analysis });
    const observations = await this.runner.run({
      analysis: this.analyses.get(request.analysis),
      args: request.args,
      models: request.models,
      input: { unit, packs },
      keepPicture: async (name, image, options) => {
        const { data, width, height } = await encodeJpeg(image, { maxSide: options?.maxSide });
        const key = `${prefix}${name}.jpg`;
        await this.objects.put(key, data);
        return { key, width, height };
      },
      signal,
    });
    done();
    const key = `${prefix}observations.json`;
    await this.objects.put(key, Buffer.from(JSON.stringify(observations)));
    return key;
  }

  private async publish(work: AnalysisWork, outcomes: UnitOutcome[]): Promise<void> {
    const { job, chunk, request, units, keepCache } = work;
    await this.outbox.transaction(async (manager) => {
      if (keepCache) await rememberObservations(manager, job.workspaceId, request.digest, units, outcomes);
      await enqueue(manager, [
        {
          topic: 'chunks.analysed',
          key: job.id,
          jobId: job.id,
          traceparent: job.traceparent,
          payload: { chunkId: chunk.id, analysisDigest: request.digest, units: outcomes, error: null },
        },
      ]);
    });
  }
}
