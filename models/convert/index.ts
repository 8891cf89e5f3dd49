import { join } from 'node:path';
import { modelsRoot, type CatalogueEntry } from '../catalogue.js';
import { convertFaceApi } from './face-api.js';
import { copyOnnx } from './native-onnx.js';
import { convertSilero } from './silero.js';
import { convertTesseract } from './tesseract-lstm.js';
import { convertTfjsGraph } from './tfjs-graph.js';
import { convertTfjsScripts } from './tfjs-scripts.js';

/**
 * Returns the ONNX bytes of a catalogue entry, made from its package in `packageDir`. The output is deterministic.
 * @throws AditError naming the part of the package that cannot be read or converted.
 */
export async function convert(entry: CatalogueEntry, packageDir: string): Promise<Uint8Array> {
  const file = join(packageDir, entry.file);
  switch (entry.recipe) {
    case 'tfjs-graph':
      return convertTfjsGraph(file, entry.name);
    case 'tfjs-scripts':
      return convertTfjsScripts(file, entry.name, { output: entry.output, centre: join(modelsRoot(), entry.centre) });
    case 'face-api':
      return convertFaceApi(file, entry.network, entry.name);
    case 'copy':
      return copyOnnx(file, { openBatch: entry.openBatch });
    case 'tesseract':
      return convertTesseract(file, entry.name);
    case 'silero':
      return convertSilero(file);
  }
}
