/** apps/inference-face with an analysis whose native code dies of certain media: the process of poison.e2e.spec.ts. */
import { join } from 'node:path';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';

const analyses = join(import.meta.dirname, 'poisoned-analyses');
await runInference({ family: 'face', analyses, models: [modelsRoot()] });
