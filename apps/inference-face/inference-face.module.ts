import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { DynamicModule } from '@nestjs/common';

/** Everything that looks at faces. */
export function inferenceFaceModule(analyses: AnalysisRegistry, config: InferenceConfig): DynamicModule {
  return InferenceModule.forFamily('face', analyses, config);
}
