import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import type { DynamicModule } from '@nestjs/common';

/** Modules of the speech inference pool. */
export function inferenceSpeechModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  return InferenceModule.forPool('speech', analyses, config, modules);
}
