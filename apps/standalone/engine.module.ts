import { join, resolve } from 'node:path';
import { AggregatorModule } from '@adit/aggregator';
import type { AnalysisRegistry } from '@adit/inference';
import { ModelsModule } from '@adit/inference/service';
import { BusModule } from '@adit/bus';
import { databaseConfig, DatabaseModule } from '@adit/database';
import { DecoderModule } from '@adit/decoder';
import { GatewayModule } from '@adit/gateway';
import { inferenceFaceModule } from '@adit/inference-face';
import { JobsModule } from '@adit/jobs';
import type { ModuleRegistry } from '@adit/mining';
import { objectsConfig, ObjectsModule } from '@adit/objects';
import { Module, type DynamicModule } from '@nestjs/common';
import type { EngineConfig } from './config.js';

export interface EngineParts {
  config: EngineConfig;
  analyses: AnalysisRegistry;
  modules: ModuleRegistry;
  /** Folders of models that come with Adit. */
  builtInModels: string[];
}

/** All services in one process, on the embedded drivers. */
@Module({})
export class EngineModule {
  static forRoot({ config, analyses, modules, builtInModels }: EngineParts): DynamicModule {
    const dataDir = resolve(config.dataDir);
    return {
      module: EngineModule,
      imports: [
        DatabaseModule.forRoot(databaseConfig(config, dataDir)),
        ObjectsModule.forRoot(objectsConfig(config, dataDir)),
        BusModule.forRoot({ busDriver: config.busDriver }),
        JobsModule.forRoot(config),
        ModelsModule.forRoot({ config, analyses, builtIn: builtInModels, dataDir }),
        DecoderModule.forRoot(config, join(dataDir, 'work')),
        inferenceFaceModule(analyses, config),
        AggregatorModule.forRoot(modules),
        GatewayModule.forRoot(config, modules),
      ],
    };
  }
}
