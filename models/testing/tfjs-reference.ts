/**
 * The original libraries as an independent reference for specs, on the very files that are converted here:
 * TensorFlow.js on its WebAssembly backend, and face-api.js on its bundled TensorFlow.js in plain JavaScript.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import * as tensorFlow from '@tensorflow/tfjs-core';
import { z } from 'zod';
import { exportOf } from '../convert/tfjs-scripts.js';
import { packageFolder } from '../package-folder.js';
import type { NamedArrays } from './onnx-run.js';

type TensorFlow = typeof tensorFlow;

interface Tensor {
  data(): Promise<Float32Array>;
}

interface Network {
  loadFromWeightMap(weights: unknown): void;
  forward(input: Tensor): Promise<Tensor | Record<string, Tensor>>;
}

interface FaceApi {
  readonly tf: {
    /** Also suppresses the advertisement of its native package on the console. */
    enableProdMode(): void;
    setBackend(name: string): Promise<boolean>;
    tensor(values: Float32Array, shape: readonly number[]): Tensor;
    readonly io: { decodeWeights(data: ArrayBuffer, specs: readonly object[]): unknown };
  };
  readonly FaceRecognitionNet: new () => Network;
  readonly AgeGenderNet: new () => Network;
  readonly FaceExpressionNet: new () => Network;
}

interface GraphFile {
  readonly modelTopology: object;
  readonly weightsManifest: { readonly paths: string[]; readonly weights: object[] }[];
  readonly signature?: object;
  readonly userDefinedMetadata?: object;
}

/** Loads TensorFlow.js, ready to compute. */
export async function loadTensorFlow(): Promise<TensorFlow> {
  tensorFlow.enableProdMode();
  await tensorFlow.setBackend('wasm');
  return tensorFlow;
}

async function loadFaceApi(): Promise<FaceApi> {
  // Its TensorFlow.js uses removed functions of `util` under Node, so a browser is simulated.
  Object.assign(globalThis, { window: { document: {} } });
  const path = join(await packageFolder('@vladmandic/face-api', '1.7.15'), 'dist/face-api.esm.js');
  const faceApi = (await import(path)) as FaceApi;
  faceApi.tf.enableProdMode();
  await faceApi.tf.setBackend('cpu');
  return faceApi;
}

/** Runs a graph model file on one input (N×H×W×C) and returns its outputs by name. */
export async function runGraphModel(
  tensorFlow: TensorFlow,
  path: string,
  input: Float32Array,
  shape: readonly number[],
): Promise<NamedArrays> {
  const file = JSON.parse(await readFile(path, 'utf8')) as GraphFile;
  const load = async () => ({ ...file, ...(await weightsOf(file.weightsManifest, path)) });
  return execute(tensorFlow, load, input, shape);
}

/** Runs one node of a model that is wrapped into scripts; TensorFlow.js widens its weights. */
export async function runScriptNode(
  tensorFlow: TensorFlow,
  path: string,
  node: string,
  input: Float32Array,
  shape: readonly number[],
): Promise<Float32Array> {
  const file = (await exportOf(path, z.unknown())) as GraphFile;
  const shards = file.weightsManifest.flatMap(({ paths }) => paths);
  const texts = await Promise.all(shards.map((shard) => exportOf(join(path, '..', `${shard}.min.js`), z.string())));
  const weightData = Uint8Array.from(Buffer.concat(texts.map((text) => Buffer.from(text, 'base64')))).buffer;
  const weightSpecs = file.weightsManifest.flatMap(({ weights }) => weights);
  const { [node]: output } = await execute(
    tensorFlow,
    () => Promise.resolve({ ...file, weightSpecs, weightData }),
    input,
    shape,
    [node],
  );
  if (output === undefined) throw new Error(`${node} gave nothing`);
  return output;
}

async function execute(
  { tensor }: TensorFlow,
  load: () => Promise<object>,
  input: Float32Array,
  shape: readonly number[],
  nodes?: string[],
): Promise<NamedArrays> {
  const model = await loadGraphModel({ load });
  const outputs = nodes ?? model.outputNodes;
  const tensors = [model.execute(tensor(input, [...shape]), outputs)].flat();
  const named = await Promise.all(
    tensors.map(
      async (found, i) => [(outputs[i] ?? '').replace(/:0$/, ''), (await found.data()) as Float32Array] as const,
    ),
  );
  return Object.fromEntries(named);
}

/** Runs a network of face-api.js on one input (N×side×side×3, RGB 0..255); `only` names an unnamed output. */
export async function runFaceApi(
  network: 'FaceRecognitionNet' | 'AgeGenderNet' | 'FaceExpressionNet',
  manifestPath: string,
  input: Float32Array,
  shape: readonly number[],
  only: string,
): Promise<NamedArrays> {
  const faceApi = await loadFaceApi();
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as GraphFile['weightsManifest'];
  const { weightData, weightSpecs } = await weightsOf(manifest, manifestPath);
  const net = new faceApi[network]();
  net.loadFromWeightMap(faceApi.tf.io.decodeWeights(weightData, weightSpecs));
  const output = await net.forward(faceApi.tf.tensor(input, shape));
  if ('data' in output && typeof output.data === 'function') return { [only]: await output.data() };
  const named = Object.entries(output as Record<string, Tensor>).map(
    async ([name, tensor]) => [name, await tensor.data()] as const,
  );
  return Object.fromEntries(await Promise.all(named));
}

async function weightsOf(
  manifest: GraphFile['weightsManifest'],
  path: string,
): Promise<{ weightSpecs: object[]; weightData: ArrayBuffer }> {
  const shards = await Promise.all(
    manifest.flatMap(({ paths }) => paths).map((shard) => readFile(join(path, '..', shard))),
  );
  return {
    weightSpecs: manifest.flatMap(({ weights }) => weights),
    weightData: Uint8Array.from(Buffer.concat(shards)).buffer,
  };
}
