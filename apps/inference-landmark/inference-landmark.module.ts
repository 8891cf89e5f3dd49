import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { DynamicModule } from '@nestjs/common';

/** Everything that looks at pictures as a whole. */
export function inferenceLandmarkModule(analyses: AnalysisRegistry, config: InferenceConfig): DynamicModule {
  return InferenceModule.forFamily('landmark', analyses, config);
}
