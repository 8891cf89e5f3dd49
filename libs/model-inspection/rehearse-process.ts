import { readFile } from 'node:fs/promises';
import { AditError, ModelManifest } from '@adit/contracts';
import { rehearseHere } from './rehearse.js';

/** Program of `rehearseModel`: runs the model of a folder by the manifest in a file, and writes one line of JSON. */
const [folder = '', manifest = ''] = process.argv.slice(2);
try {
  await rehearseHere(folder, ModelManifest.parse(JSON.parse(await readFile(manifest, 'utf8'))));
  write({ done: true });
} catch (error) {
  if (!(error instanceof AditError) || error.code !== 'VALIDATION') throw error;
  write({ refused: error.message, errors: error.options.errors ?? [] });
}

function write(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
