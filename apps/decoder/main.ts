/** The decoder as a process. */
import { claimWorkDirectory, runWorker } from '@adit/service';
import { DecoderConfig } from './config.js';
import { DecoderModule } from './decoder.module.js';

await runWorker({
  name: 'decoder',
  settings: DecoderConfig.shape,
  slots: ({ decoderConcurrency }) => decoderConcurrency,
  modules: async (config) => [DecoderModule.forRoot(config, await claimWorkDirectory(config, 'decoder'))],
});
