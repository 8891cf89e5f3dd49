import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { PlaceImageLooks } from './place-image-looks.js';

/** Looks at the pictures of datasets of landmarks. */
@Module({ providers: [PlaceImageLooks] })
export class PlaceImageLooksModule {}

/** Everything that looks at pictures as a whole. */
export function inferenceLandmarkModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forFamily('landmark', analyses, config, modules);
  return { ...family, imports: [PlaceImageLooksModule] };
}
