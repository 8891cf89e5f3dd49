import { Handles, type BusContext } from '@adit/bus';
import { analysisTopic, type AnalysisRequested } from '@adit/contracts';
import { Controller, Inject, Module, type DynamicModule, type Type } from '@nestjs/common';
import type { AnalysisRegistry } from '@adit/inference';
import { AnalysisWorker } from './analysis-worker.js';
import type { InferenceConfig } from './config.js';

/** One inference service: runs every analysis of a family. Stands on the models, database, bus, objects and jobs modules. */
@Module({})
export class InferenceModule {
  static forFamily(family: string, analyses: AnalysisRegistry, config: InferenceConfig): DynamicModule {
    const group = `inference-${family}`;
    const own = analyses.all().filter((analysis) => analysis.family === family);
    return {
      module: InferenceModule,
      controllers: own.map(({ name }) => analysisController(name, group, config.inferenceConcurrency)),
      providers: [AnalysisWorker],
    };
  }
}

/** A controller for the topic of one analysis: topics are known only once the analyses' folder has been scanned. */
function analysisController(analysis: string, group: string, concurrency: number): Type {
  @Controller()
  class AnalysisController {
    constructor(@Inject(AnalysisWorker) private readonly worker: AnalysisWorker) {}

    @Handles(analysisTopic(analysis), { group, concurrency })
    handle(request: AnalysisRequested, context: BusContext): Promise<void> {
      return this.worker.handle(request, context);
    }
  }
  return AnalysisController;
}
