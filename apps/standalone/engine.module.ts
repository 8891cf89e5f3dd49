import { resolve } from 'node:path';
import { AggregatorModule } from '@adit/aggregator';
import type { AnalysisRegistry } from '@adit/inference';
import { ModelsModule } from '@adit/inference-service';
import { DecoderModule } from '@adit/decoder';
import { GatewayModule } from '@adit/gateway';
import { inferenceFaceModule } from '@adit/inference-face';
import { inferenceLandmarkModule } from '@adit/inference-landmark';
import { inferenceObjectModule } from '@adit/inference-object';
import { inferenceSpeechModule } from '@adit/inference-speech';
import { inferenceTextModule } from '@adit/inference-text';
import { isPulled } from '@adit/models';
import type { ModuleRegistry } from '@adit/module-kit';
import { NotifierModule } from '@adit/notifier';
import { platformModules } from '@adit/service';
import { Module, type DynamicModule } from '@nestjs/common';
import type { EngineConfig } from './config.js';

export interface EngineParts {
  config: EngineConfig;
  analyses: AnalysisRegistry;
  modules: ModuleRegistry;
  /** Folders of models that come with Adit. */
  builtInModels: string[];
  /** Client media on local disk, for this process alone. */
  workDirectory: string;
}

/** All services in one process. */
@Module({})
export class EngineModule {
  static forRoot({ config, analyses, modules, builtInModels, workDirectory }: EngineParts): DynamicModule {
    return {
      module: EngineModule,
      imports: [
        ...platformModules(config, 'standalone'),
        ModelsModule.forRoot({
          ...{ config, analyses, builtIn: builtInModels, dataDir: resolve(config.dataDir) },
          isVerified: ({ pin: { name }, folder, files }) => isPulled({ name, folder, files }),
        }),
        DecoderModule.forRoot(config, workDirectory),
        inferenceFaceModule(analyses, config, modules),
        inferenceObjectModule(analyses, config, modules),
        inferenceLandmarkModule(analyses, config, modules),
        inferenceSpeechModule(analyses, config, modules),
        inferenceTextModule(analyses, config, modules),
        AggregatorModule.forRoot(modules, config),
        NotifierModule.forRoot(config, modules),
        GatewayModule.forRoot(config, modules),
      ],
    };
  }
}
