import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { FaceImageLooks } from './face-image-looks.js';

/** Looks at the pictures of datasets of people. */
@Module({ providers: [FaceImageLooks] })
export class FaceImageLooksModule {}

/** Everything that looks at faces. */
export function inferenceFaceModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forFamily('face', analyses, config, modules);
  return { ...family, imports: [FaceImageLooksModule] };
}
