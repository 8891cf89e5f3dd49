import { resolve } from 'node:path';
import { AggregatorModule } from '@adit/aggregator';
import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, ModelsModule } from '@adit/inference-service';
import { DecoderModule } from '@adit/decoder';
import { GatewayModule } from '@adit/gateway';
import { FACE_APP } from '@adit/inference-face';
import { LANDMARK_APP } from '@adit/inference-landmark';
import { OBJECT_APP } from '@adit/inference-object';
import { SPEECH_APP } from '@adit/inference-speech';
import { TEXT_APP } from '@adit/inference-text';
import { isPulled } from '@adit/models';
import type { ModuleRegistry } from '@adit/module-kit';
import { NotifierModule } from '@adit/notifier';
import { RecorderModule } from '@adit/recorder';
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
        ...[FACE_APP, OBJECT_APP, LANDMARK_APP, SPEECH_APP, TEXT_APP].map((app) =>
          InferenceModule.forApp(app, analyses, config, modules),
        ),
        AggregatorModule.forRoot(modules, config),
        NotifierModule.forRoot(config, modules),
        RecorderModule.forRoot(config, workDirectory),
        GatewayModule.forRoot(config, modules),
      ],
    };
  }
}
