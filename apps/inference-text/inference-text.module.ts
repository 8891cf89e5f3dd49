import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import type { DynamicModule } from '@nestjs/common';

/** Modules of the text inference pool. */
export function inferenceTextModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  return InferenceModule.forPool('text', analyses, config, modules);
}
