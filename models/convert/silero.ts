import { readFile } from 'node:fs/promises';
import onnxProto from 'onnx-proto';
import { BATCH, GraphBuilder } from './graph-builder.js';
import { inOnnxOrder } from './lstm.js';
import { conversionError } from './tensor.js';

/** Samples of a frame: the end of the previous one, and the new ones. */
const HEARD = 576;
/** Length and hop of the Fourier transform in samples, and its bins. */
const [WAVE, HOP, BINS] = [256, 128, 129];
/** Transforms per frame. */
const WINDOWS = 4;
/** Convolutions over the spectrum: channels and output positions. */
const LAYERS = [
  { from: BINS, to: 128, stride: 1, places: WINDOWS },
  { from: 128, to: 64, stride: 2, places: 2 },
  { from: 64, to: 64, stride: 2, places: 1 },
  { from: 64, to: 128, stride: 1, places: 1 },
];
const UNITS = 128;
const STEPS = 'T';

/**
 * Converts Silero's voice detector, which takes 32 ms of sound and the previous state, to a network over all frames at
 * once: `frames` T×N×576 and `before` 2×N×128 give `likely` T×N×1 and `after`. Only the state passes from frame to
 * frame; the convolutions and the output are computed for all frames together, at a fraction of the cost.
 * @throws AditError when the file is no such network.
 */
export async function convertSilero(path: string): Promise<Uint8Array> {
  const model = onnxProto.onnx.ModelProto.decode(await readFile(path));
  const tensors = new Map(model.graph?.initializer?.map((tensor) => [tensor.name, tensor]));
  const weights = (name: string, ...dims: number[]): Float32Array => {
    const tensor = tensors.get(name);
    const bytes = tensor?.rawData;
    if (!bytes || tensor.dataType !== FLOAT || tensor.dims?.map(Number).join() !== dims.join())
      throw conversionError(`${path} has no ${name} of ${dims.join('×')}`);
    return new Float32Array(Uint8Array.from(bytes).buffer);
  };
  const graph = new GraphBuilder();
  const frames = graph.input('frames', [STEPS, BATCH, HEARD]);
  const before = graph.input('before', [2, BATCH, UNITS]);
  // Matrix products over all frames: a convolution would run frame by frame, over hardly more than one position each.
  const columns = (name: string, [to, from, taps]: readonly [number, number, number]): string => {
    const values = weights(name, to, from, taps);
    const turned = Float32Array.from(values, (_, i) => {
      const [row, out] = [Math.floor(i / to), i % to];
      return values[(out * from + (row % from)) * taps + Math.floor(row / from)] as number;
    });
    return graph.floats(turned, [taps * from, to]);
  };
  const each = graph.node('Reshape', [frames, graph.integers([-1, HEARD])]);
  const padded = graph.node('Pad', [each, graph.integers([0, 0, 0, WAVE - HOP - (HEARD % HOP)])], { mode: 'reflect' });
  const hops = graph.node('Reshape', [padded, graph.integers([-1, WINDOWS + 1, HOP])]);
  const windows = overlapping(graph, hops, { taps: WAVE / HOP, places: WINDOWS, stride: 1 });
  const waves = graph.node('MatMul', [windows, columns('model.stft.forward_basis_buffer', [2 * BINS, 1, WAVE])]);
  const parts = graph.outputsOf('Split', [waves], { axis: -1 }, 2);
  const [real, imaginary] = parts.map((part) => graph.node('Mul', [part, part])) as [string, string];
  let x = graph.node('Sqrt', [graph.node('Add', [real, imaginary])]);
  for (const [layer, { from, to, stride, places }] of LAYERS.entries()) {
    const scope = `model.encoder.${layer}.reparam_conv`;
    const wide = graph.node('Pad', [x, graph.integers([0, 1, 0, 0, 1, 0])]);
    const near = overlapping(graph, wide, { taps: 3, places, stride });
    const product = graph.node('MatMul', [near, columns(`${scope}.weight`, [to, from, 3])]);
    x = graph.node('Relu', [graph.node('Add', [product, graph.floats(weights(`${scope}.bias`, to), [to])])]);
  }
  const [all = '', ...states] = recurrent(graph, weights, { x, frames, before });
  const told = graph.node('Relu', [graph.node('Squeeze', [all, graph.integers([1])])]);
  const table = graph.floats(weights('model.decoder.decoder.2.weight', 1, UNITS, 1), [UNITS, 1]);
  const offset = graph.floats(weights('model.decoder.decoder.2.bias', 1), [1]);
  const judged = graph.node('Add', [graph.node('MatMul', [told, table]), offset]);
  graph.output('likely', graph.node('Sigmoid', [judged]), [STEPS, BATCH, 1]);
  graph.output('after', graph.node('Concat', states, { axis: 0 }), [2, BATCH, UNITS]);
  return graph.toModel('silero_vad');
}

/** Adds the LSTM over all frames; answers its outputs and its two states. */
function recurrent(
  graph: GraphBuilder,
  weights: (name: string, ...dims: number[]) => Float32Array,
  { x, frames, before }: { x: string; frames: string; before: string },
): string[] {
  const length = graph.node('Shape', [frames], { end: 2 });
  const shape = graph.node('Concat', [length, graph.integers([UNITS])], { axis: 0 });
  const [memory, end] = graph.outputsOf('Split', [before], { axis: 0 }, 2) as [string, string];
  const rnn = (name: string, ...dims: number[]): Float32Array =>
    inOnnxOrder(weights(`model.decoder.rnn.${name}`, ...dims));
  return graph.outputsOf(
    'LSTM',
    [
      graph.node('Reshape', [x, shape]),
      graph.floats(rnn('weight_ih', 4 * UNITS, UNITS), [1, 4 * UNITS, UNITS]),
      graph.floats(rnn('weight_hh', 4 * UNITS, UNITS), [1, 4 * UNITS, UNITS]),
      graph.floats([...rnn('bias_ih', 4 * UNITS), ...rnn('bias_hh', 4 * UNITS)], [1, 8 * UNITS]),
      '',
      memory,
      end,
    ],
    { hidden_size: UNITS },
    3,
  );
}

/** Joins overlapping windows of N×places×C at each stride: N×places×(taps·C). */
function overlapping(
  graph: GraphBuilder,
  x: string,
  { taps, places, stride }: { taps: number; places: number; stride: number },
): string {
  const [axis, step] = [graph.integers([1]), graph.integers([stride])];
  const parts = Array.from({ length: taps }, (_, tap) => {
    const end = graph.integers([tap + (places - 1) * stride + 1]);
    return graph.node('Slice', [x, graph.integers([tap]), end, axis, step]);
  });
  return graph.node('Concat', parts, { axis: -1 });
}

const FLOAT = 1;
