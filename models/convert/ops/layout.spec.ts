import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { openSession, run } from '../../testing/onnx-run.js';
import { buildGraph } from '../tfjs-graph.js';
import { TfjsModel } from '../tfjs-model.js';
import type { ConstantTensor } from '../tensor.js';

type Node = { name: string; op: string; input: string[]; attr?: Record<string, object> };

const integers = (values: number[], dims = [values.length]): ConstantTensor => ({
  type: 'int32',
  dims,
  data: Int32Array.from(values),
});

/** A graph of `nodes` over an input `x` of `shape` (its batch first), whose unread nodes are its outputs. */
function graphOf(shape: number[], nodes: Node[], constants: Record<string, ConstantTensor>): Uint8Array {
  const dim = shape.map((size) => ({ size: String(size) }));
  const all = [
    { name: 'x', op: 'Placeholder', input: [], attr: { shape: { shape: { dim } } } },
    ...Object.keys(constants).map((name) => ({ name, op: 'Const', input: [] })),
    ...nodes,
  ];
  const model = TfjsModel.parse({ modelTopology: { node: all }, weightsManifest: [] });
  return buildGraph(model, new Map(Object.entries(constants)), 'test');
}

async function outputsOf(bytes: Uint8Array, shape: number[]): Promise<Record<string, number[]>> {
  const size = shape.reduce((product, dim) => product * dim, 1);
  const outputs = await run(
    await openSession(bytes),
    Float32Array.from({ length: size }, (_, i) => i),
    shape,
  );
  return Object.fromEntries(Object.entries(outputs).map(([name, values]) => [name, Array.from(values)]));
}

describe('ops of graphs converted from another framework', () => {
  it('transpose and transpose back without a transpose in the graph', async () => {
    const bytes = graphOf(
      [1, 2, 2, 3],
      [
        { name: 'there', op: 'Transpose', input: ['x', 'last'] },
        { name: 'back', op: 'Transpose', input: ['there', 'first'] },
      ],
      { last: integers([0, 2, 3, 1]), first: integers([0, 3, 1, 2]) },
    );
    const { back } = await outputsOf(bytes, [2, 2, 2, 3]);
    expect(back).toEqual(Array.from({ length: 24 }, (_, i) => i));
    expect(Buffer.from(bytes).includes('Transpose')).toBe(false);
  });

  it('split an axis into named parts, a batch of two included, and join them again', async () => {
    const bytes = graphOf(
      [1, 3, 1, 2],
      [
        { name: 'parts', op: 'SplitV', input: ['x', 'sizes', 'axis'] },
        { name: 'joined', op: 'ConcatV2', input: ['parts:1', 'parts', 'axis'] },
      ],
      { sizes: integers([1, -1]), axis: integers([1], []) },
    );
    expect((await outputsOf(bytes, [2, 3, 1, 2]))['joined']).toEqual([2, 3, 4, 5, 0, 1, 8, 9, 10, 11, 6, 7]);
  });

  it('compute target shapes that are sums of constants', async () => {
    const bytes = graphOf(
      [1, 2, 3],
      [
        { name: 'extra', op: 'SparseToDense', input: ['places', 'size', 'values', 'zero'] },
        { name: 'target', op: 'AddV2', input: ['base', 'extra'] },
        { name: 'flat', op: 'Reshape', input: ['x', 'target'] },
      ],
      {
        places: integers([1], [1, 1]),
        size: integers([2]),
        values: integers([4]),
        zero: integers([0], []),
        base: integers([1, 2]),
      },
    );
    expect((await outputsOf(bytes, [1, 2, 3]))['flat']).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('resize between the centres of pixels, as TensorFlow does with half_pixel_centers', async () => {
    const bytes = graphOf(
      [1, 1, 2, 1],
      [{ name: 'wide', op: 'ResizeBilinear', input: ['x', 'size'], attr: { half_pixel_centers: { b: true } } }],
      { size: integers([1, 4]) },
    );
    expect((await outputsOf(bytes, [1, 1, 2, 1]))['wide']).toEqual([0, 0.25, 0.75, 1]);
  });

  it('apply leaky activation and padding', async () => {
    const bytes = graphOf(
      [1, 2],
      [
        { name: 'less', op: 'Sub', input: ['x', 'one'] },
        { name: 'leaked', op: 'LeakyRelu', input: ['less'], attr: { alpha: { f: 0.5 } } },
        { name: 'padded', op: 'PadV2', input: ['leaked', 'amounts', 'seven'] },
      ],
      {
        one: { type: 'float32', dims: [], data: Float32Array.of(1) },
        seven: { type: 'float32', dims: [], data: Float32Array.of(7) },
        amounts: integers([0, 0, 1, 0], [2, 2]),
      },
    );
    expect((await outputsOf(bytes, [1, 2]))['padded']).toEqual([7, -0.5, 0]);
  });

  it.each([
    ['a transpose', { name: 'y', op: 'Transpose', input: ['x', 'order'] }],
    ['a split', { name: 'y', op: 'SplitV', input: ['x', 'sizes', 'axis'] }],
    ['a concatenation', { name: 'y', op: 'ConcatV2', input: ['x', 'x', 'axis'] }],
  ])('refuse %s that moves the batch', (_, node) => {
    const constants = { order: integers([1, 0]), sizes: integers([1]), axis: integers([0], []) };
    expect(() => graphOf([1, 2], [node], constants)).toThrow(AditError);
  });
});
