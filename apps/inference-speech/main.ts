/** Inference over speech as a process of its own. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';

await runInference({ family: 'speech', analyses: analysesFolder, models: [modelsRoot()] });
