import type { AnalysisRegistry } from '@adit/inference';
import { imageLooks, InferenceModule, type InferenceConfig } from '@adit/inference-service';
import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { FACE_LOOKS } from './face-image-looks.js';

/** Inference over pictures of people's datasets. */
@Module({ providers: [imageLooks(FACE_LOOKS)] })
export class FaceImageLooksModule {}

/** Modules of the face inference pool. */
export function inferenceFaceModule(
  analyses: AnalysisRegistry,
  config: InferenceConfig,
  modules: ModuleRegistry,
): DynamicModule {
  const family = InferenceModule.forFamily('face', analyses, config, modules);
  return { ...family, imports: [FaceImageLooksModule] };
}
