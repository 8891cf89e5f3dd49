/** Inference over faces as a process of its own. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { ImageLooksModule } from './inference-face.module.js';

await runInference({
  family: 'face',
  analyses: analysesFolder,
  models: [modelsRoot()],
  besides: [{ module: ImageLooksModule }],
});
