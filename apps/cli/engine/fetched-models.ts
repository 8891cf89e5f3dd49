import { AditError } from '@adit/contracts';
import { fetchedModels, pullModel } from '@adit/models';
import { isIn } from './needed-models.js';
import { cacheFolder, cliSettings } from '../settings.js';

/**
 * Puts the models that set-up has fetched into the data folder's models, once. What keeps them out of it is said, and nothing more.
 * A folder that ADIT_MODELS_DIR names is left as it is.
 */
export async function placeFetched(dataDir: string | undefined): Promise<void> {
  const { inference, userModels: modelsDir } = cliSettings(dataDir);
  if (inference.modelsDir !== undefined) return;
  const cacheDir = cacheFolder();
  for (const name of await fetchedModels(cacheDir)) {
    if (await isIn(modelsDir, name)) continue;
    try {
      await pullModel({ name, modelsDir, cacheDir });
    } catch (error) {
      process.stderr.write(`${name} is not put into ${modelsDir}: ${AditError.from(error).message}\n`);
    }
  }
}
