/** Speech inference as a process. */
import { analysesFolder } from '@adit/analyses';
import { runInference } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';

await runInference({
  family: 'speech',
  analyses: analysesFolder,
  models: [modelsRoot()],
  modules: await loadModules(),
});
