/** The recorder as a process. */
import { claimWorkDirectory, runWorker } from '@adit/service';
import { RecorderConfig } from './config.js';
import { RecorderModule } from './recorder.module.js';

await runWorker({
  name: 'recorder',
  settings: RecorderConfig.shape,
  modules: async (config) => [RecorderModule.forRoot(config, await claimWorkDirectory(config, 'recorder'))],
});
