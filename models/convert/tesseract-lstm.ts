import { elementAt } from '@adit/contracts';
import { BATCH, GraphBuilder } from './graph-builder.js';
import { conversionError } from './tensor.js';
import { readLineReader, type Gates, type Layer, type Weights } from './tesseract-data.js';

/** Values between layers: `image` is N×C×H×W, `line` is T×N×C, one vector a column of the image. */
interface Flow {
  value: string;
  form: 'image' | 'line';
  channels: number;
  height: number;
}

/**
 * Converts Tesseract's LSTM line recogniser to an ONNX graph. Input `line` N×1×H×W, grey, −1 dark to 1 light after its
 * contrast stretch; output `characters` N×T×C, probabilities, one step per three pixels of width.
 * @throws AditError when the file holds no supported network.
 */
export async function convertTesseract(path: string, name: string): Promise<Uint8Array> {
  const { network } = await readLineReader(path);
  const graph = new GraphBuilder();
  const layers = flattened(network);
  const [input, ...rest] = layers;
  if (input?.kind !== 'input') throw conversionError(`${path}: the first layer is not the input`);
  let flow: Flow = { value: '', form: 'image', channels: 1, height: input.height };
  flow.value = graph.input('line', [BATCH, 1, input.height, WIDTH]);
  for (let at = 0; at < rest.length; at += 1) {
    const layer = elementAt(rest, at);
    const next = rest[at + 1];
    if (layer.kind === 'convolve' && next?.kind === 'full') {
      flow = convolution(graph, flow, layer, next);
      at += 1;
    } else {
      flow = applied(graph, flow, layer, path);
    }
  }
  const rows = graph.node('Transpose', [flow.value], { perm: [1, 0, 2] });
  graph.output('characters', rows, [BATCH, STEPS, flow.channels]);
  return graph.toModel(name);
}

/** Open dimensions beside the batch: pixels across, and steps of the answer. */
const WIDTH = 'W';
const STEPS = 'T';

function flattened(layer: Layer): Layer[] {
  return layer.kind === 'series' ? layer.layers.flatMap(flattened) : [layer];
}

function applied(graph: GraphBuilder, flow: Flow, layer: Layer, path: string): Flow {
  switch (layer.kind) {
    case 'maxpool': {
      const kernel = [layer.height, layer.width];
      const value = graph.node('MaxPool', [flow.value], { kernel_shape: kernel, strides: kernel });
      return { ...flow, value, height: Math.floor(flow.height / layer.height) };
    }
    case 'transposed': {
      const [inner] = flattened(layer.layer);
      if (inner?.kind !== 'lstm' || !inner.summary || flow.form !== 'image') break;
      return columnSummary(graph, flow, inner.gates);
    }
    case 'reversed': {
      const [inner] = flattened(layer.layer);
      if (inner?.kind !== 'lstm' || inner.summary) break;
      return lstm(graph, flow, inner.gates, 'reverse');
    }
    case 'lstm':
      if (layer.summary) break;
      return lstm(graph, flow, layer.gates, 'forward');
    case 'full': {
      if (flow.form !== 'line') break;
      const product = graph.node('MatMul', [flow.value, transposedWeights(graph, layer.weights)]);
      const sum = graph.node('Add', [product, biases(graph, [layer.weights])]);
      const value =
        layer.activation === 'Softmax' ? graph.node('Softmax', [sum], { axis: 2 }) : graph.node('Tanh', [sum]);
      return { ...flow, value, channels: layer.weights.outputs };
    }
    default:
  }
  throw conversionError(`${path}: a layer ${layer.kind} in this place is not known`);
}

/** The stacked window is column-major; outside it is noise in training, and zero here. */
function convolution(
  graph: GraphBuilder,
  flow: Flow,
  { halfWidth, halfHeight }: Extract<Layer, { kind: 'convolve' }>,
  { activation, weights }: Extract<Layer, { kind: 'full' }>,
): Flow {
  const [width, height] = [2 * halfWidth + 1, 2 * halfHeight + 1];
  const kernel = new Float32Array(weights.outputs * flow.channels * height * width);
  let to = 0;
  for (let output = 0; output < weights.outputs; output += 1) {
    for (let channel = 0; channel < flow.channels; channel += 1) {
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1, to += 1) {
          const from = (x * height + y) * flow.channels + channel;
          kernel[to] = elementAt(weights.values, output * (weights.inputs + 1) + from);
        }
      }
    }
  }
  const inputs = [flow.value, graph.floats(kernel, [weights.outputs, flow.channels, height, width])];
  const convolved = graph.node('Conv', [...inputs, biases(graph, [weights])], {
    kernel_shape: [height, width],
    pads: [halfHeight, halfWidth, halfHeight, halfWidth],
  });
  return { ...flow, value: graph.node(activation, [convolved]), channels: weights.outputs };
}

/** Runs down each column and keeps the last step: N×C×H×W to W×N×C'. */
function columnSummary(graph: GraphBuilder, flow: Flow, gates: Gates): Flow {
  const [{ outputs }] = gates;
  const columns = graph.node('Transpose', [flow.value], { perm: [2, 3, 0, 1] });
  const shape = graph.node('Shape', [columns]);
  const lengthOf = (axis: number): string => graph.node('Gather', [shape, graph.integers([axis])], { axis: 0 });
  const [width, batch] = [lengthOf(1), lengthOf(2)];
  const together = graph.node('Reshape', [columns, graph.integers([flow.height, -1, flow.channels])]);
  // The second output of an LSTM is its last step; the builder names the first, so the last is sliced from it.
  const steps = squeezed(graph, lstmNode(graph, together, gates, 'forward'));
  const last = graph.node('Gather', [steps, graph.integers([flow.height - 1])], { axis: 0 });
  const target = graph.node('Concat', [width, batch, graph.integers([outputs])], { axis: 0 });
  return { value: graph.node('Reshape', [last, target]), form: 'line', channels: outputs, height: 1 };
}

function lstm(graph: GraphBuilder, flow: Flow, gates: Gates, direction: 'forward' | 'reverse'): Flow {
  const value = squeezed(graph, lstmNode(graph, flow.value, gates, direction));
  return { ...flow, value, channels: gates[0].outputs };
}

/** ONNX orders the gates as input, output, forget, cell; input weights precede those of the state. */
function lstmNode(graph: GraphBuilder, input: string, gates: Gates, direction: string): string {
  const [cell, into, forget, out] = gates;
  const ordered = [into, out, forget, cell];
  const hidden = cell.outputs;
  const size = cell.inputs - hidden;
  const take = (from: number, count: number): Float32Array => {
    const taken = new Float32Array(ordered.length * hidden * count);
    ordered.forEach(({ outputs, inputs, values }, gate) => {
      for (let row = 0; row < outputs; row += 1) {
        const start = row * (inputs + 1) + from;
        taken.set(values.subarray(start, start + count), (gate * hidden + row) * count);
      }
    });
    return taken;
  };
  const bias = ordered.flatMap((gate) => biasesOf(gate));
  return graph.node(
    'LSTM',
    [
      input,
      graph.floats(take(0, size), [1, 4 * hidden, size]),
      graph.floats(take(size, hidden), [1, 4 * hidden, hidden]),
      graph.floats([...bias, ...bias.map(() => 0)], [1, 8 * hidden]),
    ],
    { hidden_size: hidden, direction },
  );
}

/** T×1×N×C, as an LSTM answers, without the axis of directions. */
function squeezed(graph: GraphBuilder, value: string): string {
  return graph.node('Squeeze', [value, graph.integers([1])]);
}

function biasesOf({ outputs, inputs, values }: Weights): number[] {
  return Array.from({ length: outputs }, (_, row) => elementAt(values, row * (inputs + 1) + inputs));
}

function biases(graph: GraphBuilder, of: Weights[]): string {
  const all = of.flatMap(biasesOf);
  return graph.floats(all, [all.length]);
}

function transposedWeights(graph: GraphBuilder, { outputs, inputs, values }: Weights): string {
  const data = new Float32Array(inputs * outputs);
  for (let row = 0; row < outputs; row += 1) {
    for (let column = 0; column < inputs; column += 1) {
      data[column * outputs + row] = elementAt(values, row * (inputs + 1) + column);
    }
  }
  return graph.floats(data, [inputs, outputs]);
}
