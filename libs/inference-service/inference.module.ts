import { Handles, type BusContext } from '@adit/bus';
import {
  AditError,
  analysisTopic,
  onlineInferenceTopic,
  type AnalysisRequested,
  type OnlineInferenceRequested,
} from '@adit/contracts';
import { isShared } from '@adit/database';
import { health } from '@adit/runtime';
import { Controller, Inject, Module, type DynamicModule, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { SessionPool, type AnalysisRegistry } from '@adit/inference';
import { ModuleRegistry } from '@adit/module-kit';
import { DataSource } from 'typeorm';
import { AnalysisQueue } from './analysis-queue.js';
import { AnalysisWorker } from './analysis-worker.js';
import type { InferenceConfig } from './config.js';
import { imageInferenceModule, type AnyImageInference } from './image-inference.js';
import { OnlineInferenceWorker } from './online-inference-worker.js';

/** Concurrent online inference requests per process: each may take hundreds of megabytes. */
const ONLINE_CONCURRENCY = 2;

/** What tells one app of inference from the others. */
export interface InferenceApp {
  /** Pool of analyses that it serves; as a process, unless ADIT_INFERENCE_FAMILIES names others. */
  family: string;
  /** Inference over the images of datasets that it does beside. */
  images?: AnyImageInference;
}

/**
 * One inference service: runs every analysis of a pool. Requires the models, database, bus, objects and jobs modules.
 */
@Module({})
export class InferenceModule implements OnApplicationShutdown {
  private readonly unregister: () => void;

  /**
   * Not ready while nothing can be run; reports the providers. Declared here, because a worker's hooks wait for its
   * warm-up.
   */
  constructor(@Inject(SessionPool) pool: SessionPool) {
    this.unregister = health.register('inference', () => {
      if (pool.problem !== null) throw new Error(pool.problem);
      return pool.providers.join(', ') || 'no model loaded yet';
    });
  }

  /** `modules` serve online inference requests. */
  static forPool(
    family: string,
    analyses: AnalysisRegistry,
    config: InferenceConfig,
    modules: ModuleRegistry,
  ): DynamicModule {
    checkPrecision(config, family);
    const group = `inference-${family}`;
    const own = analyses.all().filter((analysis) => analysis.family === family);
    return {
      module: InferenceModule,
      controllers: own.flatMap(({ name, input }) => [
        analysisController(name, group, config.inferenceConcurrency),
        ...(input.kind === 'frames' ? [onlineInferenceController(name, group)] : []),
      ]),
      providers: [AnalysisWorker, OnlineInferenceWorker, { provide: ModuleRegistry, useValue: modules }],
    };
  }

  /** An app beside others in one process. */
  static forApp(
    { family, images }: InferenceApp,
    ...rest: [analyses: AnalysisRegistry, config: InferenceConfig, modules: ModuleRegistry]
  ): DynamicModule {
    const imports = images === undefined ? [] : [imageInferenceModule(images)];
    return { ...InferenceModule.forPool(family, ...rest), imports };
  }

  onApplicationShutdown(): void {
    this.unregister();
  }
}

/** Throws VALIDATION where float16 is configured for providers that do not support it. */
export function checkPrecision(
  { float16Families, providers }: Pick<InferenceConfig, 'float16Families' | 'providers'>,
  family: string,
): void {
  if (!float16Families.includes(family) || !providers.includes('cpu')) return;
  throw new AditError(
    'VALIDATION',
    `ADIT_FLOAT16_FAMILIES names ${family}, but ADIT_PROVIDERS=${providers.join(',')} has the CPU, which calculates in float16 no faster: name GPU providers alone, or leave ${family} out.`,
  );
}

/**
 * Creates a controller for the topic of one analysis: topics are known only once the analyses' folder has been scanned.
 */
function analysisController(analysis: string, group: string, concurrency: number): Type {
  @Controller()
  class AnalysisController extends AnalysisQueue {
    constructor(@Inject(AnalysisWorker) worker: AnalysisWorker, @Inject(DataSource) db: DataSource) {
      super(analysis, worker, { concurrency, takesWaiting: isShared(db) });
    }

    @Handles(analysisTopic(analysis), { group, concurrency })
    override handle(request: AnalysisRequested, context: BusContext): Promise<void> {
      return super.handle(request, context);
    }
  }
  return AnalysisController;
}

/** Creates the controller of online inference requests. */
function onlineInferenceController(analysis: string, group: string): Type {
  @Controller()
  class OnlineInferenceController {
    constructor(@Inject(OnlineInferenceWorker) private readonly worker: OnlineInferenceWorker) {}

    @Handles(onlineInferenceTopic(analysis), { group, concurrency: ONLINE_CONCURRENCY })
    handle(request: OnlineInferenceRequested, context: BusContext): Promise<void> {
      return this.worker.handle(request, context);
    }
  }
  return OnlineInferenceController;
}
