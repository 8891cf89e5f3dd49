import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, elementAt, modelId, type InputKind, type Unit } from '@adit/contracts';
import type { JobAnalysisEntity } from '@adit/database';
import {
  AnalysisRegistry,
  AnalysisRunner,
  droppedPicture,
  ModelRepository,
  type AnalysisInput,
  type Comparison,
  type Difference,
} from '@adit/inference';
import { knownKey, reasonOf } from '@adit/jobs';
import { encodeJpeg } from '@adit/media';
import { Canaries, RUN_SECONDS, type RunningCanary } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { canaryUnits } from './metrics.js';
import { WatchedRuns } from './run-times.js';

const log = createLogger('canaries');
/** Longest age of the list of running canaries, in milliseconds. */
const FRESH_MS = 2_000;
/** Pixels of all pictures that wait for a candidate in one process: some hundred megabytes as JPEG. */
const MAX_WAITING_PIXELS = 400e6;
/** Pixels of the pictures of one chunk, which are held until its result is published. */
const MAX_CHUNK_PIXELS = 100e6;
/** Longer side of a stored picture. */
const PICTURE_SIDE = 1024;
/** Milliseconds that work that has to run alone waits for a candidate that was told to end. */
const YIELD_MS = 30_000;

/** A unit with the stable version's result, for the candidate to analyse. */
export interface CanaryUnit {
  job: { id: string; workspaceId: string };
  request: Pick<JobAnalysisEntity, 'analysis' | 'args' | 'models' | 'digest'>;
  unit: Unit;
  input: AnalysisInput<InputKind>;
  observations: unknown;
  /** Prefix of the observations' objects, beside which a picture may be stored. */
  prefix: string;
}

/** Units for candidates to analyse once the outcome of a chunk has been published. */
export type CanaryUnits = { canary: RunningCanary; primary: CanaryUnit }[];

interface Waiting extends CanaryUnit {
  canary: RunningCanary;
  pixels: number;
}

/**
 * Runs candidate versions over units that jobs have already received. A job never waits for one: units are analysed
 * after publication, one at a time per process, and excess units are skipped. Nothing is redelivered or blamed on a
 * job.
 */
@Injectable()
export class CanaryRunner implements BeforeApplicationShutdown {
  private running: readonly RunningCanary[] = [];
  private readAt = -Infinity;
  private reading: Promise<void> | null = null;
  private readonly queue: Waiting[] = [];
  private pixels = 0;
  private working: Promise<void> | null = null;
  private current = new AbortController();
  private stopped = false;
  /** Units since the last report, by the canary's id. */
  private readonly skips = new Map<string, { canary: RunningCanary; units: number }>();

  constructor(
    @Inject(Canaries) private readonly canaries: Canaries,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) private readonly runner: AnalysisRunner,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(WatchedRuns) private readonly runs: WatchedRuns,
  ) {}

  /** Adds a unit for a candidate to those of the same chunk; most units add nothing. Never throws. */
  async keep(kept: CanaryUnits, primary: CanaryUnit): Promise<void> {
    const { job, request, unit, input } = primary;
    if (request.models.length === 0 || this.analyses.get(request.analysis).compare === undefined) return;
    await this.refresh();
    // Two models may have the same weights.
    const canary = this.running.find(({ modelId: of, stableDigest }) =>
      request.models.some(
        ({ name, digest }) =>
          digest === stableDigest && (of === modelId(name, job.workspaceId) || of === modelId(name)),
      ),
    );
    if (canary === undefined || !isOfShare(canary, unit, request.digest)) return;
    const pixels = kept.reduce((sum, { primary: other }) => sum + pixelsOf(other.input), pixelsOf(input));
    if (kept.length > 0 && pixels > MAX_CHUNK_PIXELS) this.skip(canary);
    else kept.push({ canary, primary });
  }

  /** Queues the units of a chunk whose outcome has been published. */
  add(units: CanaryUnits): void {
    for (const { canary, primary } of units) {
      const pixels = pixelsOf(primary.input);
      if (this.stopped || (this.queue.length > 0 && this.pixels + pixels > MAX_WAITING_PIXELS)) {
        this.skip(canary);
        continue;
      }
      this.pixels += pixels;
      this.queue.push({ ...primary, canary, pixels });
    }
    if (this.queue.length > 0) this.working ??= this.work();
  }

  /**
   * Aborts the current unit for work that has to run alone. Waits until nothing runs, except for a run that ignores its
   * signal, which may never end.
   */
  async yieldToSuspect(): Promise<void> {
    this.giveUp();
    await Promise.race([this.idle(), sleep(YIELD_MS, undefined, { ref: false })]);
  }

  /** Resolves when everything queued has been analysed. */
  async idle(): Promise<void> {
    while (this.working !== null) await this.working;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.giveUp();
    await this.idle();
    await this.writeSkips();
  }

  /**
   * Reads the running canaries, before the stable version runs, since its runs are timed from then on. Never throws.
   */
  async refresh(): Promise<void> {
    if (performance.now() - this.readAt < FRESH_MS) return;
    this.reading ??= this.read().finally(() => (this.reading = null));
    await this.reading;
  }

  private async read(): Promise<void> {
    try {
      this.running = await this.canaries.running();
      this.runs.watch(new Map(this.running.map(({ id, digest, stableDigest }) => [id, [digest, stableDigest]])));
    } catch (error) {
      log.debug({ err: error }, 'running canaries cannot be read; none runs until they can');
      this.running = [];
    }
    this.readAt = performance.now();
  }

  private giveUp(): void {
    this.current.abort(new AditError('UNAVAILABLE', 'A suspect has to run alone.'));
    this.pixels = 0;
    for (const { canary } of this.queue.splice(0)) this.skip(canary);
  }

  private skip(canary: RunningCanary): void {
    const { units } = this.skips.get(canary.id) ?? { units: 0 };
    this.skips.set(canary.id, { canary, units: units + 1 });
  }

  /** Units skipped since the last run count, although no run reports them. */
  private async writeSkips(): Promise<void> {
    for (const { canary } of [...this.skips.values()]) {
      await this.canaries.skipped(canary, null, this.since(canary)).catch((error: unknown) => {
        log.warn({ version: canary.version, err: error }, 'skipped units of a canary could not be counted');
      });
    }
  }

  private async work(): Promise<void> {
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.pixels -= next.pixels;
      try {
        await this.infer(next);
      } catch (error) {
        log.warn({ version: next.canary.version, err: error }, 'results of a canary could not be counted');
      }
    }
    await this.writeSkips();
    this.working = null;
    // Continues with units that arrived meanwhile.
    if (this.queue.length > 0) this.working = this.work();
  }

  private async infer(waiting: Waiting): Promise<void> {
    const { canary, request } = waiting;
    const model = request.models.find(({ digest }) => digest === canary.stableDigest)?.name ?? '';
    this.current = new AbortController();
    if (this.stopped) this.giveUp();
    const runId = await this.canaries.begin(canary);
    if (runId === null) {
      this.skip(canary);
      canaryUnits.inc({ model, outcome: 'skipped' });
      return;
    }
    const signal = AbortSignal.any([this.current.signal, AbortSignal.timeout(RUN_SECONDS * 1000)]);
    try {
      const comparison = await this.compare(waiting, signal);
      const picture = await this.pictureOf(waiting, comparison);
      await this.canaries.compared(canary, runId, { comparison, picture }, this.since(canary));
      canaryUnits.inc({ model, outcome: 'compared' });
    } catch (error) {
      const problem = AditError.from(error);
      const isNobodysFault = this.current.signal.aborted || ['UNAVAILABLE', 'PACK_MISSING'].includes(problem.code);
      if (isNobodysFault) this.skip(canary);
      else log.warn({ model, version: canary.version, err: problem }, 'a canary failed for a unit');
      const since = this.since(canary);
      await (isNobodysFault
        ? this.canaries.skipped(canary, runId, since)
        : this.canaries.failed(canary, runId, reasonOf(problem.message), since));
      canaryUnits.inc({ model, outcome: isNobodysFault ? 'skipped' : 'failed' });
    }
  }

  private async compare({ canary, request, input, observations }: Waiting, signal: AbortSignal): Promise<Comparison> {
    const analysis = this.analyses.get(request.analysis);
    const candidate = await this.repository.pinned(canary.digest);
    const models = request.models.map((pin) =>
      pin.digest === canary.stableDigest ? { ...pin, version: canary.version, digest: canary.digest } : pin,
    );
    const { args } = request;
    const seen = await this.runner.run({ analysis, args, models, input, keepPicture: droppedPicture, signal });
    const comparison = analysis.compare?.(observations, seen);
    if (comparison === undefined) throw new AditError('INTERNAL', `The analysis ${analysis.name} compares nothing.`);
    // A job's search words are private.
    if (args['words'] === undefined) return comparison;
    const stable = await this.repository.pinned(canary.stableDigest);
    return withoutWords(comparison, new Set([stable, candidate].flatMap(({ manifest }) => manifest.labels ?? [])));
  }

  /** Stores the picture that differs most, where it is among those to be shown. */
  private async pictureOf({ canary, job, input, prefix }: Waiting, { differences }: Comparison) {
    if (differences.length === 0 || input.kind !== 'frames') return null;
    const difference = differences.reduce<Difference>(
      (most, each) => (each.difference > most.difference ? each : most),
      elementAt(differences, 0),
    );
    const { workspaceId, id: jobId } = job;
    if (!(await this.canaries.isShown(canary, workspaceId, difference.difference))) return null;
    const { data } = await elementAt(input.packs, 0).withPicture(difference.index, (picture) =>
      encodeJpeg(picture, { maxSide: PICTURE_SIDE }),
    );
    const objectKey = `${prefix}canary-${randomUUID()}.jpg`;
    await this.canaries.expectPicture(objectKey);
    await this.objects.put(objectKey, data);
    return { workspaceId, jobId, objectKey, difference };
  }

  private since({ id, digest, stableDigest }: RunningCanary) {
    const skipped = this.skips.get(id)?.units ?? 0;
    this.skips.delete(id);
    return { skipped, stable: this.runs.take(id, stableDigest), candidate: this.runs.take(id, digest) };
  }
}

/** Selects units deterministically: a unit of a share is in every larger one. */
export function isOfShare({ id, share }: Pick<RunningCanary, 'id' | 'share'>, unit: Unit, digest: string): boolean {
  const hash = createHash('sha256')
    .update(`${id}/${knownKey(unit, digest)}`)
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32 < share;
}

function pixelsOf(input: AnalysisInput<InputKind>): number {
  if (input.kind !== 'frames') return 0;
  return input.packs.reduce(
    (sum, { frames }) => frames.reduce((total, { width, height }) => total + width * height, sum),
    0,
  );
}

function withoutWords(comparison: Comparison, known: ReadonlySet<string>): Comparison {
  const labels: Comparison['labels'] = new Map();
  for (const [label, { both, stable, candidate }] of comparison.labels) {
    const name = known.has(label) ? label : '';
    const sum = labels.get(name) ?? { both: 0, stable: 0, candidate: 0 };
    labels.set(name, {
      both: sum.both + both,
      stable: sum.stable + stable,
      candidate: sum.candidate + candidate,
    });
  }
  return { ...comparison, labels };
}
