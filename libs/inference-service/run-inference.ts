import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, type Precision } from '@adit/contracts';
import type { ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import { runWorker } from '@adit/service';
import type { DynamicModule } from '@nestjs/common';
import {
  AnalysisRegistry,
  ModelRepository,
  modelsOf,
  SessionPool,
  type AnalysisDefinition,
  type ModelVersion,
} from '@adit/inference';
import { InferenceConfig } from './config.js';
import { InferenceModule } from './inference.module.js';
import { ModelsModule } from './models.module.js';
import { servedFamilies } from './served-families.js';

const log = createLogger('inference');
/** How often a process whose GPU does not work tries it again; its orchestrator may start it anew before. */
const RETRY_MS = 10_000;

interface InferenceService {
  /** What it serves unless ADIT_INFERENCE_FAMILIES names others. */
  family: string;
  /** Folder that the analyses are found in. */
  analyses: string;
  /** Folders of models that come with Adit. */
  models: string[];
  /** What is asked of pictures that somebody waits for. */
  modules: ModuleRegistry;
  /** What the process does besides, with the models that it has. */
  besides?: DynamicModule[];
}

/**
 * Runs one inference service as a process: it takes work once its families' installed models are in memory and warm. Where no
 * provider works it takes none, and /readyz says why.
 */
export async function runInference({
  family,
  analyses: folder,
  models,
  modules,
  besides = [],
}: InferenceService): Promise<void> {
  const analyses = await AnalysisRegistry.scan(folder);
  await runWorker({
    name: `inference-${family}`,
    settings: InferenceConfig.shape,
    modules: (config) => [
      ModelsModule.forRoot({
        config,
        analyses,
        builtIn: models,
        dataDir: resolve(config.dataDir),
        deviceLost: endUnlessItComesBack,
      }),
      ...servedFamilies(config, family, analyses).map((served) =>
        InferenceModule.forFamily(served, analyses, config, modules),
      ),
      ...besides,
    ],
    async warmUp(app, config) {
      const repository = app.get(ModelRepository, { strict: false });
      const pool = app.get(SessionPool, { strict: false });
      const served = servedFamilies(config, family, analyses);
      const own = analyses.all().filter((analysis) => served.includes(analysis.family));
      const installed = new Set(repository.list().map(({ pin }) => pin.name));
      const models = own.flatMap((analysis): Wanted[] => {
        const precision = config.float16Families.includes(analysis.family) ? 'float16' : 'float32';
        // Without one of its models an analysis is refused when a job is posted.
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

/** Those that an analysis runs when it is asked for nothing in particular; others are loaded when they are first named. */
function usualModels(analysis: AnalysisDefinition): readonly string[] {
  const args = analysis.args.safeParse({});
  return args.success ? modelsOf(analysis, args.data) : [];
}

/** Whether the models are in memory now; false when no provider works. Throws what is wrong with a model. */
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

/** CUDA gives a process that has lost its GPU no second one: another process takes over, and takes no work before it can. */
function endUnlessItComesBack(pool: SessionPool): void {
  pool.tryProviders().catch((error: unknown) => {
    log.fatal({ err: error }, 'the GPU does not come back; this process ends, to be started anew');
    process.kill(process.pid, 'SIGTERM');
  });
}
