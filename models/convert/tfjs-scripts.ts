import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { z } from 'zod';
import { conversionError, type ConstantTensor } from './tensor.js';
import { buildGraph } from './tfjs-graph.js';
import { readDocument, TfjsModel } from './tfjs-model.js';
import { decodeWeights } from './weights.js';

/** A script is done in milliseconds; one that is not is no model. */
const TIMEOUT = 10_000;

/** A vector of positive numbers: `values` is base64 of one byte each, which times `scale` is the number. */
const Centre = z.strictObject({ scale: z.number().positive(), values: z.base64() });

const OUTPUT = 'embedding';
const CENTRE = 'embedding/centre';

/**
 * Converts a TensorFlow.js graph model that a package wraps into scripts for browsers: `path` exports model.json, and
 * `<shard>.min.js` beside it the shard in base64. The node `output`, less the vector in the file `centre`, becomes the only
 * output, `embedding`; what lies behind the node is left out.
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

/** The model and its weights as they are. */
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

/** The vector of a centre's file. @throws AditError when it is none. */
export async function readCentre(path: string): Promise<Float32Array> {
  const { scale, values } = await readDocument(path, Centre);
  return Float32Array.from(Buffer.from(values, 'base64'), (byte) => byte * scale);
}

/**
 * What a CommonJS script exports. It runs in a context of its own that holds nothing of this process: enough for a package
 * whose version is pinned, no wall against hostile code.
 */
export async function exportOf<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
  try {
    const script = await readFile(path, 'utf8');
    const scope = createContext(Object.create(null) as object);
    runInContext('var exports = {}, module = { exports };', scope);
    runInContext(script, scope, { filename: path, timeout: TIMEOUT });
    // As text, so that the objects are this realm's and nothing but data.
    return schema.parse(JSON.parse(runInContext('JSON.stringify(module.exports)', scope) as string));
  } catch (cause) {
    throw conversionError(`${path} is not the script the catalogue expects; install the package again`, cause);
  }
}
