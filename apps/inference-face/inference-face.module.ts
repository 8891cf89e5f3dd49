import type { AnalysisRegistry } from '@adit/inference';
import { InferenceModule, type InferenceConfig } from '@adit/inference-service';
import { Module, type DynamicModule } from '@nestjs/common';
import { ImageLooks } from './image-looks.js';

/** Looks at the pictures of datasets. */
@Module({ providers: [ImageLooks], exports: [ImageLooks] })
export class ImageLooksModule {}

/** Everything that looks at faces. */
export function inferenceFaceModule(analyses: AnalysisRegistry, config: InferenceConfig): DynamicModule {
  const family = InferenceModule.forFamily('face', analyses, config);
  return { ...family, imports: [ImageLooksModule] };
}
