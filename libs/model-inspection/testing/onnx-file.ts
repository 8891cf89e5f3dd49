import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import onnxProto, { type onnx } from 'onnx-proto';
import { ProtobufFile } from '../protobuf-file.js';

export const FLOAT = 1;
export const INT64 = 7;

/** A tensor type with its axes; text is an open one. */
export function value(name: string, axes: readonly (number | string)[], elemType = FLOAT): onnx.IValueInfoProto {
  const dim = axes.map((axis) => (typeof axis === 'number' ? { dimValue: axis } : { dimParam: axis }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

export function floats(name: string, dims: number[], values: readonly number[]): onnx.ITensorProto {
  return { name, dims, dataType: FLOAT, rawData: new Uint8Array(Float32Array.from(values).buffer) };
}

export function int64s(name: string, dims: number[], values: readonly number[]): onnx.ITensorProto {
  return { name, dims, dataType: INT64, rawData: new Uint8Array(BigInt64Array.from(values, BigInt).buffer) };
}

export function node(opType: string, input: string[], output: string[], more: onnx.INodeProto = {}): onnx.INodeProto {
  return { opType, input, output, ...more };
}

export function model(graph: onnx.IGraphProto, more: onnx.IModelProto = {}): Uint8Array {
  const opsetImport = [{ domain: '', version: 17 }];
  const named = { name: 'g', ...graph };
  return onnxProto.onnx.ModelProto.encode({
    irVersion: 8,
    producerName: 'spec',
    opsetImport,
    graph: named,
    ...more,
  }).finish();
}

/** A graph that runs and returns outputs of these shapes, for any input: the mean of the input, everywhere. */
export function graphOf(
  input: readonly (number | string)[],
  outputs: Readonly<Record<string, readonly (number | string)[]>>,
  inputName = 'images',
): onnx.IGraphProto {
  const shapes = Object.entries(outputs);
  return {
    input: [value(inputName, input)],
    output: shapes.map(([name, axes]) => value(name, axes)),
    initializer: shapes.map(([name, axes]) => {
      const fixed = axes.map((axis) => (typeof axis === 'number' ? axis : 1));
      return int64s(`shape of ${name}`, [fixed.length], fixed);
    }),
    node: [
      node('ReduceMean', [inputName], ['mean'], { attribute: [{ name: 'keepdims', type: 2, i: 0 }] }),
      ...shapes.map(([name]) => node('Expand', ['mean', `shape of ${name}`], [name])),
    ],
  };
}

/** Values of a graph's answer, in the first rows; the rest is 0. */
export interface Answered {
  dims: readonly number[];
  rows: readonly (readonly number[])[];
  type?: typeof FLOAT | typeof INT64;
  /** Announced dimensions, where they differ. */
  said?: readonly (number | string)[];
}

/** A graph with a constant answer to every picture. */
export function answering(
  input: readonly (number | string)[],
  outputs: Readonly<Record<string, Answered>>,
  inputName = 'images',
): onnx.IGraphProto {
  const each = Object.entries(outputs);
  return {
    input: [value(inputName, input)],
    output: each.map(([name, { dims, said = dims, type }]) => value(name, said, type)),
    initializer: [
      floats('zero', [], [0]),
      ...each.map(([name, { dims, rows }]) => {
        const columns = dims.at(-1) ?? 1;
        const all = new Float32Array(dims.reduce((count, dim) => count * dim, 1));
        for (const [row, values] of rows.entries()) all.set(values, row * columns);
        return floats(`${name} is`, [...dims], [...all]);
      }),
    ],
    node: [
      node('ReduceMean', [inputName], ['mean'], { attribute: [{ name: 'keepdims', type: 2, i: 0 }] }),
      node('Mul', ['mean', 'zero'], ['nothing']),
      ...each.flatMap(([name, { type = FLOAT }]) => [
        node('Add', [`${name} is`, 'nothing'], [`${name} as floats`]),
        node('Cast', [`${name} as floats`], [name], { attribute: [{ name: 'to', type: 2, i: type }] }),
      ]),
    ],
  };
}

/** Writes the files of one test into a folder; `remove` deletes it. */
export async function modelFolder(files: Readonly<Record<string, Uint8Array | string>>): Promise<{
  path(name: string): string;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'adit-model-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { path: (name) => join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Reads a file of these bytes. */
export async function reading<T>(bytes: Uint8Array, read: (file: ProtobufFile, path: string) => T): Promise<T> {
  const folder = await modelFolder({ 'model.onnx': bytes });
  const file = new ProtobufFile(folder.path('model.onnx'));
  try {
    return read(file, folder.path('model.onnx'));
  } finally {
    file.close();
    await folder.remove();
  }
}
