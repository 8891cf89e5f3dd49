import { elementAt } from '@adit/contracts/lists';
import {
  floatOf,
  textAttributeOf,
  wholesAttributeOf,
  type GraphConstant,
  type GraphNode,
  type ReadGraph,
} from './graph-reading.js';

/**
 * ONNX Runtime's CPU convolutions keep channels in blocks of this size (NCHWc, 4 to 16 by instruction set).
 * Convolutions, sums, products and a few activations take blocks; every other operator forces a reordering before and
 * after it.
 */
export const BLOCK = 16;
/** First opset in which Clip takes its bounds as inputs instead of attributes. */
export const CLIP_INPUTS_OPSET = 11;
/** First opset in which Pad takes its pads as inputs. */
const PAD_INPUTS_OPSET = 11;
/** Most dimensions of a constant that counts as one number for all of N×channels×H×W. */
export const MAX_NUMBER_DIMS = 4;
/** Operators that leave the channels of their first input in place. */
const PER_CHANNEL = new Set(
  `AveragePool BatchNormalization Clip Dropout Elu GlobalAveragePool GlobalMaxPool HardSigmoid HardSwish Identity LeakyRelu
  MaxPool Neg PRelu Relu Sigmoid Softplus Tanh`.split(/\s+/),
);
/** Element-wise operators of two inputs. */
const PAIRWISE = new Set(['Add', 'Sub', 'Mul', 'Div', 'Min', 'Max', 'Sum']);

/** Nodes behind a value that multiply all of it by `factor` and add `offset`, and the value they end in. */
interface Line {
  factor: number;
  offset: number;
  nodes: GraphNode[];
  output: string;
}

/** Values of a graph: the nodes that read them, and their channels. */
export class GraphValues {
  private readonly readers = new Map<string, GraphNode[]>();
  /** Channels of values that are certainly N×channels×H×W. */
  private readonly channels = new Map<string, number>();
  /** Outputs of convolutions. */
  private readonly convolved = new Set<string>();
  private readonly outputs: ReadonlySet<string>;

  constructor(private readonly graph: ReadGraph) {
    this.outputs = new Set(graph.outputs);
    for (const node of graph.nodes) {
      for (const name of node.inputs) this.addReader(name, node);
      if (node.op === 'Conv') this.convolved.add(elementAt(node.outputs, 0));
      const channels = this.channelsBehind(node);
      if (channels !== null) this.channels.set(elementAt(node.outputs, 0), channels);
    }
  }

  /** Returns the channels of a value of N×channels×H×W, null where that is not certain. */
  channelsOf(value: string): number | null {
    return this.channels.get(value) ?? null;
  }

  /** Tests whether a value is only ever added to the output of a convolution. */
  meetsConvolution(value: string): boolean {
    const reader = this.onlyReader(value);
    if (reader?.op !== 'Add') return false;
    const other = reader.inputs.find((name) => name !== value) ?? '';
    return this.convolved.has(other) && this.onlyReader(other) !== null;
  }

  /** Returns the zero channels that a Pad adds on both sides, null where it does anything else. */
  addedChannels(node: GraphNode): [number, number] | null {
    const isOld = this.graph.opset < PAD_INPUTS_OPSET;
    const [, pads = '', value = '', axes = ''] = node.inputs;
    const amounts = isOld ? wholesAttributeOf(node, 'pads') : this.graph.constants.get(pads)?.wholes;
    const filling = isOld ? (floatOf(node, 'value') ?? 0) : value === '' ? 0 : this.numberOf(value);
    const isPlain = (textAttributeOf(node, 'mode') ?? 'constant') === 'constant' && axes === '' && filling === 0;
    if (!isPlain || amounts?.length !== 8) return null;
    const [before, after] = [elementAt(amounts, 1), elementAt(amounts, 5)];
    const isElsewhere = amounts.some((amount, i) => i % 4 !== 1 && amount !== 0);
    return isElsewhere || !(before >= 0 && after >= 0 && before + after > 0) ? null : [before, after];
  }

  /** Appends in place, since a graph may have a million nodes that read one value. */
  private addReader(name: string, node: GraphNode): void {
    const readers = this.readers.get(name);
    if (readers) readers.push(node);
    else this.readers.set(name, [node]);
  }

  /** Returns the only reader of a value, null where there are others, or the value is an output of the graph. */
  onlyReader(name: string): GraphNode | null {
    const readers = this.readers.get(name) ?? [];
    const [reader] = readers;
    return reader === undefined || readers.length > 1 || this.outputs.has(name) ? null : reader;
  }

  /** Returns the longest line of such nodes behind a value. */
  lineBehind(value: string): Line {
    const line: Line = { factor: 1, offset: 0, nodes: [], output: value };
    for (;;) {
      const node = this.onlyReader(line.output);
      const step = node && this.withNumber(node);
      if (!node || !step || step.value !== line.output) return line;
      const [factor, offset] = steps(node, step);
      const [all, moved] = [line.factor * factor, line.offset * factor + offset];
      if (factor === 0 || !Number.isFinite(all) || !Number.isFinite(moved)) return line;
      line.factor = all;
      line.offset = moved;
      line.nodes.push(node);
      line.output = elementAt(node.outputs, 0);
    }
  }

  /** Splits the two inputs of a node of which one is a single number. `isFirst`: the number comes first. */
  withNumber({ op, inputs }: GraphNode): { value: string; number: number; isFirst: boolean } | null {
    if (!PAIRWISE.has(op) || inputs.length !== 2) return null;
    const numbers = inputs.map((name) => this.numberOf(name));
    const isFirst = numbers[0] !== null;
    const [number, other] = isFirst ? numbers : numbers.toReversed();
    if (number == null || other !== null) return null;
    return { value: elementAt(inputs, isFirst ? 1 : 0), number, isFirst };
  }

  private numberOf(name: string): number | null {
    const constant = this.graph.constants.get(name);
    return constant?.floats && isOne(constant) ? elementAt(constant.floats, 0) : null;
  }

  /** Returns the bounds of a Clip, null for other nodes and for bounds that are not constant. */
  boundsOf(node: GraphNode): [number, number] | null {
    if (node.op !== 'Clip') return null;
    const [, low = '', high = ''] = node.inputs;
    const isOld = this.graph.opset < CLIP_INPUTS_OPSET;
    const bounds = isOld ? [floatOf(node, 'min'), floatOf(node, 'max')] : [this.numberOf(low), this.numberOf(high)];
    const [least, most] = bounds;
    return least == null || most == null || !(least <= most) ? null : [least, most];
  }

  /** Returns the channels of a value where they fill whole blocks. */
  blocksOf(value: string): number | null {
    const channels = this.channelsOf(value) ?? 0;
    return channels > 0 && channels % BLOCK === 0 ? channels : null;
  }

  private channelsBehind({ op, inputs }: GraphNode): number | null {
    if (op === 'Conv') {
      const dims = this.graph.constants.get(inputs[1] ?? '')?.dims ?? [];
      return dims.length === 4 ? elementAt(dims, 0) : null;
    }
    if (PER_CHANNEL.has(op)) return this.channelsOf(inputs[0] ?? '');
    if (!PAIRWISE.has(op)) return null;
    const { constants } = this.graph;
    // Any other operand has as many channels, or one for all.
    const [channels, ...others] = new Set(inputs.flatMap((name) => this.channelsOf(name) ?? []));
    if (channels === undefined || channels === 1 || others.length > 0) return null;
    const spread = inputs.flatMap((name) => constants.get(name) ?? []);
    return spread.every((one) => isOne(one) || isPerChannel(one, channels)) ? channels : null;
  }
}

/** Returns the factor and offset that a node applies to the value beside a number. */
function steps({ op }: GraphNode, { number, isFirst }: { number: number; isFirst: boolean }): [number, number] {
  switch (op) {
    case 'Mul':
      return [number, 0];
    case 'Add':
      return [1, number];
    case 'Sub':
      return isFirst ? [-1, number] : [1, -number];
    case 'Div':
      return isFirst ? [0, 0] : [1 / number, 0];
    default:
      return [0, 0];
  }
}

/** Tests whether a constant is one number for all of N×channels×H×W. */
function isOne({ dims }: GraphConstant): boolean {
  return dims.length <= MAX_NUMBER_DIMS && dims.every((dim) => dim === 1);
}

/** Tests whether a constant has a number per channel of N×channels×H×W. */
export function isPerChannel({ dims }: GraphConstant, channels: number): boolean {
  const [first, ...rest] = dims.length === 4 && dims[0] === 1 ? dims.slice(1) : dims;
  return first === channels && rest.length === 2 && rest.every((dim) => dim === 1);
}
