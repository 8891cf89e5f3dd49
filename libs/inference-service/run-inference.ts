import { resolve } from 'node:path';
import { runWorker } from '@adit/service';
import { AnalysisRegistry, ModelRepository, modelsOf, SessionPool, type AnalysisDefinition } from '@adit/inference';
import { InferenceConfig } from './config.js';
import { InferenceModule } from './inference.module.js';
import { ModelsModule } from './models.module.js';
import { servedFamilies } from './served-families.js';

interface InferenceService {
  /** What it serves unless ADIT_INFERENCE_FAMILIES names others. */
  family: string;
  /** Folder that the analyses are found in. */
  analyses: string;
  /** Folders of models that come with Adit. */
  models: string[];
}

/** Runs one inference service as a process: it takes work once its families' installed models are in memory and warm. */
export async function runInference({ family, analyses: folder, models }: InferenceService): Promise<void> {
  const analyses = await AnalysisRegistry.scan(folder);
  await runWorker({
    name: `inference-${family}`,
    settings: InferenceConfig.shape,
    modules: (config) => [
      ModelsModule.forRoot({ config, analyses, builtIn: models, dataDir: resolve(config.dataDir) }),
      ...servedFamilies(config, family, analyses).map((served) => InferenceModule.forFamily(served, analyses, config)),
    ],
    async warmUp(app, config) {
      const repository = app.get(ModelRepository, { strict: false });
      const pool = app.get(SessionPool, { strict: false });
      const served = servedFamilies(config, family, analyses);
      const own = analyses.all().filter((analysis) => served.includes(analysis.family));
      const installed = new Set(repository.list().map(({ pin }) => pin.name));
      // Without one of its models an analysis is refused when a job is posted.
      for (const model of new Set(own.flatMap(usualModels).filter((name) => installed.has(name)))) {
        const lease = await pool.acquire(repository.resolve(model));
        lease.release();
      }
    },
  });
}

/** Those that an analysis runs when it is asked for nothing in particular; others are loaded when they are first named. */
function usualModels(analysis: AnalysisDefinition): readonly string[] {
  const args = analysis.args.safeParse({});
  return args.success ? modelsOf(analysis, args.data) : [];
}
