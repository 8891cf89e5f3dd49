import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';
import { conversionError, type ConstantTensor } from './tensor.js';
import { buildGraph } from './tfjs-graph.js';
import { readDocument, TfjsModel } from './tfjs-model.js';
import { decodeWeights } from './weights.js';

/** Milliseconds for a script, which takes a few; longer ones are no model. */
const TIMEOUT = 10_000;

/** A vector of positive numbers: `values` is base64 of one byte each, to be multiplied by `scale`. */
const Centre = z.strictObject({ scale: z.number().positive(), values: z.base64() });

const OUTPUT = 'embedding';
const CENTRE = 'embedding/centre';

/**
 * Converts a TensorFlow.js graph model that a package wraps into scripts for browsers: `path` exports model.json, and
 * `<shard>.min.js` beside it the shard in base64. The node `output`, minus the vector in the file `centre`, becomes the
 * only output, `embedding`; later nodes are removed.
 * @throws AditError naming the file or the op that cannot be converted.
 */
export async function convertTfjsScripts(
  path: string,
  name: string,
  { output, centre }: { output: string; centre: string },
): Promise<Uint8Array> {
  const { model, weights } = await readTfjsScripts(path);
  const vector = await readCentre(centre);
  const centred = {
    ...model,
    modelTopology: {
      node: [
        ...model.modelTopology.node,
        { name: CENTRE, op: 'Const', input: [], attr: {} },
        { name: OUTPUT, op: 'Sub', input: [output, CENTRE], attr: {} },
      ],
    },
    signature: { outputs: { [OUTPUT]: { name: OUTPUT } } },
  };
  const constant: ConstantTensor = { type: 'float32', dims: [vector.length], data: vector };
  return buildGraph(centred, new Map([...weights, [CENTRE, constant]]), name);
}

/** Reads the model and its weights unchanged. */
async function readTfjsScripts(path: string): Promise<{ model: TfjsModel; weights: Map<string, ConstantTensor> }> {
  const model = await exportOf(path, TfjsModel);
  const weights = new Map<string, ConstantTensor>();
  for (const group of model.weightsManifest) {
    const shards = await Promise.all(
      group.paths.map((shard) => exportOf(join(dirname(path), `${shard}.min.js`), z.base64())),
    );
    const bytes = Buffer.concat(shards.map((shard) => Buffer.from(shard, 'base64')));
    for (const [tensor, value] of decodeWeights(group.weights, bytes)) weights.set(tensor, value);
  }
  return { model, weights };
}

/** Reads the vector of a centre's file. @throws AditError when it is invalid. */
export async function readCentre(path: string): Promise<Float32Array> {
  const { scale, values } = await readDocument(path, Centre);
  return Float32Array.from(Buffer.from(values, 'base64'), (byte) => byte * scale);
}

/**
 * Returns the export of a CommonJS script. It runs in an empty context of its own: enough for a package with a pinned
 * version, no protection against hostile code.
 */
export async function exportOf<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
  try {
    const script = await readFile(path, 'utf8');
    const scope = createContext(Object.create(null) as object);
    runInContext('var exports = {}, module = { exports };', scope);
    runInContext(script, scope, { filename: path, timeout: TIMEOUT });
    // Passed as text, so that the objects are pure data of this realm.
    return schema.parse(JSON.parse(runInContext('JSON.stringify(module.exports)', scope) as string));
  } catch (cause) {
    throw conversionError(`${path} is not the script the catalogue expects; install the package again`, cause);
  }
}
