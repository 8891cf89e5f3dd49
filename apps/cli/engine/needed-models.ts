import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** Models that a module needs and that do not come with Adit. */
const NEEDED: Readonly<Record<string, string>> = { speech_recognition: 'whisper-base' };

/** Pulls what the modules need and this machine lacks, after saying so. Nothing else downloads weights unasked, but set-up. */
export async function pullNeeded(modules: readonly string[], dataDir: string | undefined): Promise<void> {
  for (const id of modules) {
    const model = NEEDED[id];
    if (model === undefined) continue;
    // Few commands get here, and these import a lot.
    const [{ cliSettings }, { pullHere }] = await Promise.all([import('../settings.js'), import('./model-pull.js')]);
    if (await isIn(cliSettings(dataDir).userModels, model)) continue;
    process.stderr.write(`${id} needs the model ${model}, which is not here yet; it is pulled now, once.\n`);
    await pullHere(model, dataDir === undefined ? {} : { dataDir });
  }
}

/** Tells whether a folder of models has one of that name. */
export function isIn(modelsDir: string, name: string): Promise<boolean> {
  return access(join(modelsDir, name, 'model.yaml')).then(
    () => true,
    () => false,
  );
}
