/** Face inference as a process. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { FaceImageInferenceModule } from './inference-face.module.js';

await runInference({
  family: 'face',
  analyses: analysesFolder,
  models: [modelsRoot()],
  modules: await loadModules(),
  besides: [{ module: FaceImageInferenceModule }],
});
