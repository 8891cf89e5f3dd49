import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import type { Tensor4D } from '@tensorflow/tfjs-core';
import { noise, openSession, relativeError, run, type NamedArrays } from '../testing/onnx-run.js';
import { loadTensorFlow } from '../testing/tfjs-reference.js';
import type { ConstantTensor } from './tensor.js';
import { buildGraph } from './tfjs-graph.js';
import { TfjsModel } from './tfjs-model.js';

const text = (value: string) => ({ s: Buffer.from(value).toString('base64') });
const texts = (...values: string[]) => ({ list: { s: values.map((value) => Buffer.from(value).toString('base64')) } });
const integers = (...values: number[]) => ({ list: { i: values.map(String) } });

interface NodeInput {
  name: string;
  op: string;
  input?: string[];
  attr?: Record<string, object>;
}

function modelOf(...nodes: NodeInput[]): TfjsModel {
  return TfjsModel.parse({ modelTopology: { node: nodes }, weightsManifest: [] });
}

function image(height: number, width: number, channels: number): NodeInput {
  const dim = [-1, height, width, channels].map((size) => ({ size: String(size) }));
  return { name: 'image', op: 'Placeholder', attr: { shape: { shape: { dim } } } };
}

function constant(dims: number[], values: ArrayLike<number>, type: 'float32' | 'int32' = 'float32'): ConstantTensor {
  return { type, dims, data: type === 'float32' ? Float32Array.from(values) : Int32Array.from(values) };
}

async function convertAndRun(
  model: TfjsModel,
  weights: Record<string, ConstantTensor>,
  input: Float32Array,
  shape: number[],
): Promise<NamedArrays> {
  const session = await openSession(buildGraph(model, new Map(Object.entries(weights)), 'test'));
  return run(session, input, shape);
}

describe('buildGraph', () => {
  it('computes a fused convolution like a manual calculation', async () => {
    // A 2×2 kernel over a 3×3 image at stride 2: SAME pads one row below and one column to the right.
    const model = modelOf(
      image(3, 3, 1),
      { name: 'kernel', op: 'Const' },
      { name: 'bias', op: 'Const' },
      {
        name: 'conv',
        op: '_FusedConv2D',
        input: ['image', 'kernel', 'bias'],
        attr: { strides: integers(1, 2, 2, 1), padding: text('SAME'), fused_ops: texts('BiasAdd', 'Relu') },
      },
    );
    const weights = { kernel: constant([2, 2, 1, 1], [1, 10, 100, 1000]), bias: constant([1], [-7000]) };
    const { conv } = await convertAndRun(model, weights, Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), [1, 3, 3, 1]);
    // 1+20+400+5000 = 5421; 3+600 = 603; 7+80 = 87; 9 — each less 7000 is negative, so Relu cuts to 0.
    expect(Array.from(conv ?? [])).toEqual([0, 0, 0, 0]);
    const open = { ...weights, bias: constant([1], [0.5]) };
    const shifted = await convertAndRun(model, open, Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), [1, 3, 3, 1]);
    expect(Array.from(shifted['conv'] ?? [])).toEqual([5421.5, 603.5, 87.5, 9.5]);
  });

  it('keeps the axis order where a computed image meets constants of lower rank, pads and reshapes', async () => {
    const tensorFlow = await loadTensorFlow();
    const [height, width, channels] = [5, 7, 3];
    const model = modelOf(
      image(height, width, channels),
      { name: 'kernel', op: 'Const' },
      { name: 'perChannel', op: 'Const' },
      { name: 'amounts', op: 'Const' },
      { name: 'slopes', op: 'Const' },
      { name: 'flatShape', op: 'Const' },
      {
        name: 'depthwise',
        op: 'DepthwiseConv2dNative',
        input: ['image', 'kernel'],
        attr: { strides: integers(1, 1, 1, 1), dilations: integers(1, 2, 2, 1), padding: text('SAME') },
      },
      { name: 'added', op: 'AddV2', input: ['perChannel', 'depthwise'] },
      { name: 'prelu', op: 'Prelu', input: ['added', 'slopes'] },
      { name: 'padded', op: 'Pad', input: ['prelu', 'amounts'] },
      {
        name: 'pooled',
        op: 'AvgPool',
        input: ['padded'],
        attr: { ksize: integers(1, 3, 3, 1), strides: integers(1, 2, 2, 1), padding: text('SAME') },
      },
      { name: 'flat', op: 'Reshape', input: ['pooled', 'flatShape'] },
    );
    const kernel = noise(3 * 3 * channels * 2, -1, 1, 2);
    const perChannel = noise(6, -1, 1, 3);
    const slopes = noise(6, -1, 1, 4);
    const amounts = [0, 0, 1, 2, 0, 1, 0, 3];
    const input = noise(2 * height * width * channels, -1, 1, 5);
    const shape = [2, height, width, channels];
    const { flat } = await convertAndRun(
      model,
      {
        kernel: constant([3, 3, channels, 2], kernel),
        perChannel: constant([6], perChannel),
        slopes: constant([1, 1, 6], slopes),
        amounts: constant([4, 2], amounts, 'int32'),
        flatShape: constant([2], [-1, 4 * 4 * 9], 'int32'),
      },
      input,
      shape,
    );
    const tf = tensorFlow;
    const depthwise = tf.depthwiseConv2d(
      tf.tensor4d(input, [2, height, width, channels]),
      tf.tensor4d(kernel, [3, 3, channels, 2]),
      1,
      'same',
      'NHWC',
      2,
    );
    const active = tf.prelu(tf.add<Tensor4D>(depthwise, tf.tensor(perChannel, [6])), tf.tensor4d(slopes, [1, 1, 1, 6]));
    const padded = tf.pad(active, [
      [0, 0],
      [1, 2],
      [0, 1],
      [0, 3],
    ]);
    expect(relativeError(flat ?? [], await tf.avgPool(padded, 3, 2, 'same').data())).toBeLessThan(1e-5);
  });

  it('gives equal bytes for equal models', () => {
    const model = modelOf(
      image(2, 2, 1),
      { name: 'scale', op: 'Const' },
      { name: 'scaled', op: 'Mul', input: ['image', 'scale'] },
    );
    const weights = () => new Map([['scale', constant([], [3])]]);
    expect(buildGraph(model, weights(), 'test')).toEqual(buildGraph(model, weights(), 'test'));
  });

  it.each([
    {
      why: 'an op it does not know',
      nodes: [{ name: 'odd', op: 'FancyOp', input: ['image'] }],
      says: /FancyOp.*"odd"/,
    },
    { why: 'a node that is not there', nodes: [{ name: 'end', op: 'Relu', input: ['gone'] }], says: /"gone"/ },
    { why: 'weights that are not there', nodes: [{ name: 'w', op: 'Const' }], says: /weights of "w" are missing/ },
    {
      why: 'a cycle',
      nodes: [
        { name: 'a', op: 'Relu', input: ['b'] },
        { name: 'b', op: 'Relu', input: ['a'] },
        { name: 'c', op: 'Relu', input: ['b'] },
      ],
      says: /cycle/,
    },
    {
      why: 'a computed shape',
      nodes: [{ name: 'end', op: 'Reshape', input: ['image', 'image'] }],
      says: /Reshape "end".*must be constant/,
    },
    {
      why: 'a missing operand',
      nodes: [{ name: 'end', op: 'Mul', input: ['image'] }],
      says: /Mul "end": input 1 is missing/,
    },
  ])('refuses $why, naming it', ({ nodes, says }) => {
    const build = (): Uint8Array => buildGraph(modelOf(image(4, 4, 3), ...nodes), new Map(), 'test');
    expect(build).toThrow(AditError);
    expect(build).toThrow(says);
  });

  it('removes axes of size 1, and no others', async () => {
    const model = (...dims: number[]) =>
      modelOf(
        image(2, 2, 3),
        {
          name: 'pooled',
          op: 'AvgPool',
          input: ['image'],
          attr: { ksize: integers(1, 2, 2, 1), strides: integers(1, 2, 2, 1), padding: text('VALID') },
        },
        { name: 'end', op: 'Squeeze', input: ['pooled'], attr: { squeeze_dims: integers(...dims) } },
      );
    const rows = Float32Array.from({ length: 24 }, (_, i) => i);
    const session = await openSession(buildGraph(model(1, -2), new Map(), 'test'));
    expect(session.outputMetadata[0]).toMatchObject({ shape: ['N', 3] });
    expect(Array.from((await run(session, rows, [2, 2, 2, 3]))['end'] ?? [])).toEqual([
      4.5, 5.5, 6.5, 16.5, 17.5, 18.5,
    ]);
    expect(() => buildGraph(model(0), new Map(), 'test')).toThrow(/axes 0 of .* cannot be left out/);
    expect(() => buildGraph(model(3), new Map(), 'test')).toThrow(/axes 3 of .* cannot be left out/);
    expect(() => buildGraph(model(), new Map(), 'test')).toThrow(/none named/);
  });

  it('refuses a reshape that would move the batch', () => {
    const model = modelOf(
      image(4, 4, 3),
      { name: 'shape', op: 'Const' },
      { name: 'end', op: 'Reshape', input: ['image', 'shape'] },
    );
    const build = (...dims: number[]): Uint8Array =>
      buildGraph(model, new Map([['shape', constant([dims.length], dims, 'int32')]]), 'test');
    expect(() => build(48, -1)).toThrow(/moves the batch/);
    expect(() => build(1, 47)).toThrow(/48 values do not take the shape 47/);
    expect(() => build(1, 12, -1)).not.toThrow();
  });
});
