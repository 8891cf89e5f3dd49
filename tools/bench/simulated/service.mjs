// The inference service of faces with the simulated model; all but the model is the service itself.
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';

await runInference({ family: 'face', analyses: import.meta.dirname, models: [modelsRoot()] });
