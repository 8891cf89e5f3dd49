import type { BusContext } from '@adit/bus';
import {
  AditError,
  ONLINE_INFERENCE_LIMITS,
  type Json,
  type OnlineInferenceRequested,
  type Unit,
  zip,
} from '@adit/contracts';
import {
  databaseNow,
  type InferenceRequestEntity,
  type InferenceResponse,
  type InferenceRequest,
  type InferredSegment,
} from '@adit/database';
import { AnalysisRegistry, AnalysisRunner, inferPicture, ModelRepository } from '@adit/inference';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { answerInferenceRequest, failInferenceRequest, claimInferenceRequest } from '@adit/online-inference';
import { createLogger } from '@adit/runtime';
import { openStorageKey } from '@adit/storage';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { onlineInferenceSeconds } from './metrics.js';
import { withPictureFile } from './picture-file.js';

const log = createLogger('inference');

/**
 * Subscriber of looks.<name>.requested: analyses one picture while a client waits, as a job would, and answers into the
 * row of the request. Nothing is stored. A request that kills this process is not repeated.
 */
@Injectable()
export class OnlineInferenceWorker {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(AnalysisRunner) private readonly runner: AnalysisRunner,
    @Inject(ModelRepository) private readonly models: ModelRepository,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
  ) {}

  async handle({ lookId: id }: OnlineInferenceRequested, context: Pick<BusContext, 'signal'>): Promise<void> {
    const asked = await claimInferenceRequest(this.db.manager, id);
    if (asked === null) return;
    const left =
      asked.timeCreated.getTime() + ONLINE_INFERENCE_LIMITS.seconds * 1000 - Number(await databaseNow(this.db));
    // The client's deadline has passed.
    if (left <= 0) return;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(left)]);
    const done = onlineInferenceSeconds.startTimer({
      analysis: asked.question.analyses.map(({ name }) => name).join('+'),
    });
    try {
      const answer = await this.infer(asked, signal);
      await answerInferenceRequest(this.db.manager, id, answer);
    } catch (error) {
      const { code, message } = signal.aborted ? tooLate() : AditError.from(error);
      if (code === 'INTERNAL') log.error({ lookId: id, err: error }, 'an online inference request failed');
      await failInferenceRequest(this.db.manager, id, { code, message });
    } finally {
      done();
    }
  }

  private infer(asked: InferenceRequestEntity, signal: AbortSignal): Promise<InferenceResponse> {
    const { analyses, module } = asked.question;
    return withPictureFile(
      () => this.open(asked),
      ONLINE_INFERENCE_LIMITS.bytes,
      async (path, digest) => {
        const { facts, unit, observations } = await inferPicture({
          ...{ runner: this.runner, path, digest, maxPixels: ONLINE_INFERENCE_LIMITS.pixels, signal },
          analyses: analyses.map(({ name, ...how }) => ({ ...how, definition: this.analyses.get(name) })),
        });
        const found = Object.fromEntries(
          // Observations are JSON.
          [...zip(analyses, observations)].map(([{ name }, seen]) => [name, seen as Json]),
        );
        const segments = module === null ? [] : await this.fold(module, unit, found);
        return { facts, observations: found, segments };
      },
    );
  }

  private async open({ workspaceId, source, objectKey }: InferenceRequestEntity) {
    if (objectKey !== null) {
      const info = await this.objects.stat(objectKey);
      if (info === null) throw tooLate();
      return { stream: await this.objects.get(objectKey), size: info.size };
    }
    const key = /^storage:\/\/(.+)$/i.exec(source ?? '')?.[1];
    if (key === undefined) throw new AditError('INTERNAL', 'The inference request has no stored picture.');
    return openStorageKey(this.db.manager, this.objects, workspaceId, key);
  }

  /** Returns the segments of a job with this picture alone. */
  private async fold(
    { id, args, models }: NonNullable<InferenceRequest['module']>,
    unit: Unit<'image'>,
    observations: Record<string, Json>,
  ): Promise<InferredSegment[]> {
    const fold = await this.modules.get(id).open(args, {
      models,
      readModelFile: (pin, file) => this.models.readFile(pin, file),
      readDictionary: () => Promise.reject(new AditError('INTERNAL', 'Online inference takes no dictionaries.')),
    });
    const context = { sourceIndex: null, facts: unit.facts };
    const begun = fold.start(context);
    const call = () => fold.fold(begun, { unit, observations }, context);
    await fold.prepare?.(call);
    const { state, segments } = call();
    const end = () => fold.close(state, context);
    await fold.prepare?.(end);
    return [...segments, ...end().segments].map(({ type, label, confidence, meta, detections }) => ({
      ...{ type, label, confidence, meta, detections },
    }));
  }
}

function tooLate(): AditError {
  return new AditError('UNAVAILABLE', 'The inference request took too long. Try again.');
}
