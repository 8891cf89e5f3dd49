import { pullModel } from '@adit/models';
import { untilInterrupted } from './interrupt.js';
import { cacheFolder, cliSettings } from '../settings.js';

export interface ModelPullOptions {
  dataDir?: string;
  from?: string;
  shared?: boolean;
}

/**
 * Puts a model whose weights do not come with Adit into the user's folder of models, or with `shared` into the repository of an
 * installation, and says so.
 */
export async function pullHere(name: string, { dataDir, from, shared }: ModelPullOptions): Promise<void> {
  const { userModels: modelsDir } = cliSettings(dataDir);
  const bar = process.stderr.isTTY ? progressBar(name) : null;
  // Files fetched by then are removed.
  const { signal, release } = untilInterrupted();
  const options = { cacheDir: cacheFolder(), from, onProgress: bar?.show, signal };
  const pulling =
    shared === true
      ? (await import('./model-pull-shared.js')).pullShared(name, options)
      : pullModel({ ...options, name, modelsDir }).then(({ models, downloaded }) => ({
          models,
          done: `${downloaded ? 'downloaded and checked' : 'checked'}; in ${modelsDir}`,
        }));
  const { models, done } = await pulling.finally(() => {
    release();
    bar?.end();
  });
  process.stderr.write(`${models.join(' and ')} ${done}\n`);
}

/** One line that is written over, and gone when it is done. */
function progressBar(name: string): { show: (bytes: number, of: number) => void; end: () => void } {
  return {
    show: (bytes, of) => {
      const done = Math.round((bytes / of) * 30);
      const megabytes = `${Math.round(bytes / 1e6)} of ${Math.round(of / 1e6)} MB`;
      const line = `Pulling ${name} ${'█'.repeat(done)}${'░'.repeat(30 - done)} ${megabytes}`;
      process.stderr.write(`\r\x1b[K${bytes >= of ? `Converting ${name} …` : line}`);
    },
    end: () => process.stderr.write('\r\x1b[K'),
  };
}
