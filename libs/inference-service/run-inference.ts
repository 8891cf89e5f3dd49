import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, type Precision } from '@adit/contracts';
import type { ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import { runWorker } from '@adit/service';
import {
  AnalysisRegistry,
  ModelRepository,
  modelsOf,
  SessionPool,
  type AnalysisDefinition,
  type ModelVersion,
} from '@adit/inference';
import { InferenceConfig } from './config.js';
import { imageInferenceModule } from './image-inference.js';
import { InferenceModule, type InferenceApp } from './inference.module.js';
import { ModelsModule } from './models.module.js';
import { servedPools } from './served-pools.js';

const log = createLogger('inference');
/** Milliseconds between attempts to use a broken GPU; the orchestrator may restart the process before. */
const RETRY_MS = 10_000;

interface InferenceService extends InferenceApp {
  /** Folder of the analyses. */
  analyses: string;
  /** Folders of models that come with Adit. */
  models: string[];
  /** Modules that serve online inference requests. */
  modules: ModuleRegistry;
}

/**
 * Runs one inference service as a process: it takes work once its pools' installed models are loaded and warm. Without
 * a working provider it takes none, and /readyz states the reason.
 */
export async function runInference({
  family,
  analyses: folder,
  models,
  modules,
  images,
}: InferenceService): Promise<void> {
  const analyses = await AnalysisRegistry.scan(folder);
  await runWorker({
    name: `inference-${family}`,
    settings: InferenceConfig.shape,
    slots: ({ inferenceConcurrency }) => inferenceConcurrency,
    modules: (config) => [
      ModelsModule.forRoot({
        config,
        analyses,
        builtIn: models,
        dataDir: resolve(config.dataDir),
        deviceLost: endUnlessItComesBack,
      }),
      ...servedPools(config, family, analyses).map((served) =>
        InferenceModule.forPool(served, analyses, config, modules),
      ),
      ...(images === undefined ? [] : [imageInferenceModule(images)]),
    ],
    async warmUp(app, config) {
      const repository = app.get(ModelRepository, { strict: false });
      const pool = app.get(SessionPool, { strict: false });
      const served = servedPools(config, family, analyses);
      const own = analyses.all().filter((analysis) => served.includes(analysis.family));
      const installed = new Set(repository.list().map(({ pin }) => pin.name));
      const models = own.flatMap((analysis): Wanted[] => {
        const precision = config.float16Families.includes(analysis.family) ? 'float16' : 'float32';
        // An analysis without one of its models is refused when a job is posted.
        const needed = usualModels(analysis).filter((name) => installed.has(name));
        return needed.map((name) => ({ model: repository.resolve(name), precision }));
      });
      while (!(await loaded(pool, models))) await sleep(RETRY_MS);
    },
  });
}

interface Wanted {
  model: ModelVersion;
  precision: Precision;
}

/** Returns the models that an analysis runs by default; others are loaded when they are first named. */
function usualModels(analysis: AnalysisDefinition): readonly string[] {
  const args = analysis.args.safeParse({});
  return args.success ? modelsOf(analysis, args.data) : [];
}

/** Loads the models; false when no provider works. Throws the error of a broken model. */
async function loaded(pool: SessionPool, models: Wanted[]): Promise<boolean> {
  try {
    for (const { model, precision } of models) (await pool.acquire(model, precision)).release();
    return true;
  } catch (error) {
    const problem = AditError.from(error);
    if (problem.code !== 'UNAVAILABLE') throw error;
    log.error({ reason: problem.message }, 'not ready: the models cannot be run');
    return false;
  }
}

/**
 * CUDA gives a process that has lost its GPU no second one: another process takes over, and takes no work before it
 * can.
 */
function endUnlessItComesBack(pool: SessionPool): void {
  pool.tryProviders().catch((error: unknown) => {
    log.fatal({ err: error }, 'the GPU does not recover; this process ends, to be restarted');
    process.kill(process.pid, 'SIGTERM');
  });
}
