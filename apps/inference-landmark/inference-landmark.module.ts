import type { AnalysisRegistry } from '@adit/inference';
import { imageLooks, InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { PLACE_LOOKS } from './place-image-looks.js';

/** Inference over pictures of landmark datasets. */
@Module({ providers: [imageLooks(PLACE_LOOKS)] })
export class PlaceImageLooksModule {}

/** Modules of the inference pool for whole pictures. */
export function inferenceLandmarkModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forFamily('landmark', analyses, config, modules);
  return { ...family, imports: [PlaceImageLooksModule] };
}
