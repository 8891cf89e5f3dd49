/** Inference over objects as a process of its own. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';

await runInference({ family: 'object', analyses: analysesFolder, models: [modelsRoot()] });
