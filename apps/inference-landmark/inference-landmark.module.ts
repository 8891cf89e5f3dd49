import type { AnalysisRegistry } from '@adit/inference';
import { imageInferenceLoop, InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { PLACE_INFERENCE } from './place-image-inference.js';

/** Inference over pictures of landmark datasets. */
@Module({ providers: [imageInferenceLoop(PLACE_INFERENCE)] })
export class PlaceImageInferenceModule {}

/** Modules of the inference pool for whole pictures. */
export function inferenceLandmarkModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forPool('landmark', analyses, config, modules);
  return { ...family, imports: [PlaceImageInferenceModule] };
}
