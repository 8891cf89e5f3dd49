/** Entry point of the notifier as a process of its own. */
import { loadModules } from '@adit/modules';
import { runWorker } from '@adit/service';
import { NotifierConfig } from './config.js';
import { NotifierModule } from './notifier.module.js';

await runWorker({
  name: 'notifier',
  settings: NotifierConfig.shape,
  modules: async (config) => [NotifierModule.forRoot(config, await loadModules())],
});
