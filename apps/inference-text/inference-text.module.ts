import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { DynamicModule } from '@nestjs/common';

/** Everything that reads text. */
export function inferenceTextModule(analyses: AnalysisRegistry, config: InferenceConfig): DynamicModule {
  return InferenceModule.forFamily('text', analyses, config);
}
