/** Entry point of the aggregator as a process of its own. */
import { resolve } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';
import { InferenceConfig, ModelsModule } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { runWorker } from '@adit/service';
import { AggregatorModule } from './aggregator.module.js';
import { AggregatorSettings } from './settings.js';

await runWorker({
  name: 'aggregator',
  settings: { ...InferenceConfig.shape, ...AggregatorSettings.shape },
  modules: async (config) => {
    const [analyses, modules] = await Promise.all([AnalysisRegistry.scan(analysesFolder), loadModules()]);
    return [
      ModelsModule.forRoot({ config, analyses, builtIn: [modelsRoot()], dataDir: resolve(config.dataDir) }),
      AggregatorModule.forRoot(modules, config),
    ];
  },
});
