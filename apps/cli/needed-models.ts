import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';

/** What a module cannot do without and does not come with Adit. */
const NEEDED: Readonly<Record<string, string>> = { speech_recognition: 'whisper-base' };

/** Pulls what the modules need and this machine lacks, after saying so. Nothing else ever downloads weights unasked. */
export async function pullNeeded(modules: readonly string[], dataDir: string | undefined): Promise<void> {
  for (const id of modules) {
    const model = NEEDED[id];
    if (model === undefined) continue;
    // Few commands get here, and these import a lot.
    const [{ cliSettings }, { pullHere }] = await Promise.all([import('./settings.js'), import('./model-pull.js')]);
    if (await isIn(cliSettings(dataDir).userModels, model)) continue;
    process.stderr.write(`${id} needs the model ${model}, which is not here yet; it is pulled now, once.\n`);
    await pullHere(model, dataDir === undefined ? {} : { dataDir });
  }
}

/**
 * Puts the models that set-up has fetched into the data folder's models, once. What keeps them out of it is said, and nothing more.
 * A folder that ADIT_MODELS_DIR names is left as it is.
 */
export async function placeFetched(dataDir: string | undefined): Promise<void> {
  // What an engine has loaded by then; a command that needs none does not load it.
  const [{ cacheFolder, cliSettings }, { fetchedModels, pullModel }] = await Promise.all([
    import('./settings.js'),
    import('@adit/models'),
  ]);
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

function isIn(modelsDir: string, name: string): Promise<boolean> {
  return access(join(modelsDir, name, 'model.yaml')).then(
    () => true,
    () => false,
  );
}
