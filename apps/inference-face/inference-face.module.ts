import type { AnalysisRegistry } from '@adit/inference';
import { imageInferenceLoop, InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { FACE_INFERENCE } from './face-image-inference.js';

/** Inference over pictures of people's datasets. */
@Module({ providers: [imageInferenceLoop(FACE_INFERENCE)] })
export class FaceImageInferenceModule {}

/** Modules of the face inference pool. */
export function inferenceFaceModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forPool('face', analyses, config, modules);
  return { ...family, imports: [FaceImageInferenceModule] };
}
