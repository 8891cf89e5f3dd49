/** Whole-picture inference as a process. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { PlaceImageInferenceModule } from './inference-landmark.module.js';

await runInference({
  family: 'landmark',
  analyses: analysesFolder,
  models: [modelsRoot()],
  modules: await loadModules(),
  besides: [{ module: PlaceImageInferenceModule }],
});
