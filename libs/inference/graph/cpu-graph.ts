import { elementAt } from '@adit/contracts/lists';
import {
  attributeFieldsOf,
  ELEMENT,
  floatOf,
  readGraph,
  textAttributeOf,
  wholesAttributeOf,
  type GraphConstant,
  type GraphNode,
  type ReadGraph,
} from './graph-reading.js';
import { floatAttribute, modelWith, operator, tensor, wholeAttribute } from './graph-writing.js';

/**
 * ONNX Runtime's CPU convolutions keep channels in blocks of this size (NCHWc, 4 to 16 by instruction set).
 * Convolutions, sums, products and a few activations take blocks; every other operator forces a reordering before and
 * after it.
 */
const BLOCK = 16;
/** First opset in which Clip takes its bounds as inputs instead of attributes. */
const CLIP_INPUTS_OPSET = 11;
/** First opset in which Pad takes its pads as inputs. */
const PAD_INPUTS_OPSET = 11;
/** Limit of rewritten numbers, some 64 MiB; larger rewrites are skipped. */
const MAX_NUMBERS = 2 ** 24;
/** Largest number of channels that a 1×1 convolution adds. */
const MAX_ADDED = 128;
/** Most dimensions of a constant that counts as one number for all of N×channels×H×W. */
const MAX_NUMBER_DIMS = 4;
/** Operators that leave the channels of their first input in place. */
const PER_CHANNEL = new Set(
  `AveragePool BatchNormalization Clip Dropout Elu GlobalAveragePool GlobalMaxPool HardSigmoid HardSwish Identity LeakyRelu
  MaxPool Neg PRelu Relu Sigmoid Softplus Tanh`.split(/\s+/),
);
/** Element-wise operators of two inputs. */
const PAIRWISE = new Set(['Add', 'Sub', 'Mul', 'Div', 'Min', 'Max', 'Sum']);

/**
 * Rewrites a network in operators that are fast on ONNX Runtime's CPU provider; null where nothing is gained or the
 * graph contains anything unknown. The output is deterministic. Never throws.
 * - PRelu behind convolutions becomes relu(x) − slope · relu(−x) in 1×1 convolutions, bit-identical: its own kernel
 * takes two thirds of the time of a face network.
 * - Min and Max with numbers, as TensorFlow's relu6 is exported, become Clip, bit-identical.
 * - Numbers that multiply or shift all of a convolution's output become part of its weights. Hard swish as PaddlePaddle
 * exports it, x · clip(x + 3, 0, 6) / 6, keeps its channels in blocks. Both change the rounding of the last digits.
 * - A pooled value, possibly zero-padded in its channels, that is added to a convolution's output, as in MediaPipe's
 * face networks, passes through an identity convolution: the sum, and all sums behind it, then have their channels in
 * blocks. This changes rounding too.
 */
export function cpuGraph(model: Uint8Array): Buffer | null {
  let graph: ReadGraph;
  try {
    graph = readGraph(model);
  } catch {
    return null;
  }
  return new Rewriting(graph).written();
}

/** Nodes behind a value that multiply all of it by `factor` and add `offset`, and the value they end in. */
interface Line {
  factor: number;
  offset: number;
  nodes: GraphNode[];
  output: string;
}

class Rewriting {
  private readonly readers = new Map<string, GraphNode[]>();
  /** Channels of values that are certainly N×channels×H×W. */
  private readonly channels = new Map<string, number>();
  /** Outputs of convolutions. */
  private readonly convolved = new Set<string>();
  /** Replacements of nodes. */
  private readonly replaced = new Map<GraphNode, Buffer[]>();
  private readonly initializers: Buffer[] = [];
  private readonly outputs: ReadonlySet<string>;
  /** Values that the replacements read. */
  private readonly read: Set<string>;
  private names = 0;
  private numbers = 0;

  constructor(private readonly graph: ReadGraph) {
    this.outputs = new Set(graph.outputs);
    this.read = new Set(graph.outputs);
    for (const node of graph.nodes) {
      for (const name of node.inputs) this.addReader(name, node);
      if (node.op === 'Conv') this.convolved.add(elementAt(node.outputs, 0));
      const channels = this.channelsBehind(node);
      if (channels !== null) this.channels.set(elementAt(node.outputs, 0), channels);
    }
  }

  written(): Buffer | null {
    const { graph, replaced } = this;
    for (const node of graph.nodes) {
      if (replaced.has(node)) continue;
      if (this.numbers > MAX_NUMBERS) break;
      if (node.op === 'PRelu') this.rewritePRelu(node);
      else if (node.op === 'Min' || node.op === 'Max') this.rewriteBounds(node);
      else if (node.op === 'Conv') this.rewriteConvolution(node);
      else if (node.op === 'Pad') this.rewritePad(node);
      else if (node.op === 'MaxPool' || node.op === 'AveragePool') this.rewritePool(node);
      else if (node.op === 'Add') this.rewriteHardSwish(node);
    }
    if (replaced.size === 0) return null;
    for (const node of graph.nodes) if (!replaced.has(node)) for (const name of node.inputs) this.read.add(name);
    const kept = [...graph.constants].flatMap(([name, { initializer }]) =>
      initializer !== null && this.read.has(name) ? [initializer] : [],
    );
    const nodes = graph.nodes.flatMap((node) => replaced.get(node) ?? [node.raw]);
    return modelWith(graph, nodes, [...kept, ...this.initializers]);
  }

  private rewritePRelu(node: GraphNode): void {
    const [x = '', slope = ''] = node.inputs;
    const channels = this.blocksOf(x);
    const slopes = this.graph.constants.get(slope);
    if (channels === null || slopes?.floats === undefined || !isPerChannel(slopes, channels)) return;
    const made: Buffer[] = [];
    const negative = this.add(made, 'Relu', [this.depthwise(made, x, channels, () => -1)]);
    const { floats } = slopes;
    const below = this.depthwise(made, negative, channels, (channel) => -elementAt(floats, channel));
    const above = this.add(made, 'Relu', [x]);
    this.add(made, 'Add', [below, above], elementAt(node.outputs, 0));
    this.replace([node], made);
  }

  private rewriteBounds(first: GraphNode): void {
    const second = this.onlyReader(elementAt(first.outputs, 0));
    if (second === null || !['Min', 'Max'].includes(second.op) || second.op === first.op) return;
    const [one, other] = [this.withNumber(first), this.withNumber(second)];
    // A constant with more dimensions than the value would change the value's dimensions.
    if (one === null || other === null || !this.channels.has(one.value)) return;
    const [high, low] = first.op === 'Min' ? [one.number, other.number] : [other.number, one.number];
    if (!(low <= high)) return;
    const made: Buffer[] = [];
    this.clip(made, one.value, [low, high], elementAt(second.outputs, 0));
    this.replace([first, second], made);
  }

  private rewriteConvolution(node: GraphNode): void {
    const [x = '', weights = '', bias = ''] = node.inputs;
    const constants = [weights, bias].map((name) => this.graph.constants.get(name));
    const [kernels, biases] = constants;
    const line = this.lineBehind(elementAt(node.outputs, 0));
    if (line.nodes.length === 0 || kernels?.floats === undefined || (bias !== '' && !biases?.floats)) return;
    // The kernels of fewer dimensions than a constant may have would give their output the constant's.
    if (kernels.dims.length < MAX_NUMBER_DIMS) return;
    const { factor, offset } = line;
    const outputs = elementAt(kernels.dims, 0);
    const own = biases?.floats ?? new Float32Array(outputs);
    const made: Buffer[] = [];
    const inputs = [
      x,
      this.constant(
        kernels.dims,
        kernels.floats.map((weight) => weight * factor),
      ),
      this.constant(
        [outputs],
        own.map((value) => value * factor + offset),
      ),
    ];
    this.add(made, 'Conv', inputs, line.output, attributeFieldsOf(node));
    this.replace([node, ...line.nodes], made);
  }

  private rewriteHardSwish(node: GraphNode): void {
    const moved = this.withNumber(node);
    const clip = this.onlyReader(elementAt(node.outputs, 0));
    const bounds = clip && this.boundsOf(clip);
    const product = clip && this.onlyReader(elementAt(clip.outputs, 0));
    const channels = moved && this.blocksOf(moved.value);
    if (!bounds || product?.op !== 'Mul' || !channels || !product.inputs.includes(moved.value)) return;
    const line = this.lineBehind(elementAt(product.outputs, 0));
    const { factor, offset } = line;
    const made: Buffer[] = [];
    const scaled = this.depthwise(
      made,
      moved.value,
      channels,
      () => factor,
      () => factor * moved.number,
    );
    const ends = bounds.map((bound) => factor * bound).sort((a, b) => a - b);
    const clipped = this.clip(made, scaled, [elementAt(ends, 0), elementAt(ends, 1)]);
    const [value, output] = [moved.value, line.output];
    if (offset === 0) this.add(made, 'Mul', [value, clipped], output);
    else {
      this.depthwise(
        made,
        this.add(made, 'Mul', [value, clipped]),
        channels,
        () => 1,
        () => offset,
        output,
      );
    }
    this.replace([node, clip, product, ...line.nodes], made);
  }

  private rewritePad(node: GraphNode): void {
    const [x = ''] = node.inputs;
    const output = elementAt(node.outputs, 0);
    const channels = this.channels.get(x) ?? 0;
    const added = this.addedChannels(node);
    if (added === null || channels === 0 || !this.meetsConvolution(output)) return;
    const [before, after] = added;
    const all = before + channels + after;
    if (all > MAX_ADDED) return;
    const weights = new Float32Array(all * channels);
    for (let channel = 0; channel < channels; channel++) weights[(before + channel) * channels + channel] = 1;
    const made: Buffer[] = [];
    this.add(made, 'Conv', [x, this.constant([all, channels, 1, 1], weights)], output);
    this.replace([node], made);
  }

  private rewritePool(node: GraphNode): void {
    const [x = ''] = node.inputs;
    const output = elementAt(node.outputs, 0);
    const channels = this.channels.get(x) ?? 0;
    // Channels that fill whole blocks stay in them anyway.
    if (channels % BLOCK === 0 || node.outputs.length > 1 || !this.meetsConvolution(output)) return;
    const made: Buffer[] = [];
    const pooled = this.add(made, node.op, [x], undefined, attributeFieldsOf(node));
    this.depthwise(made, pooled, channels, () => 1, undefined, output);
    this.replace([node], made);
  }

  /** Tests whether a value is only ever added to the output of a convolution. */
  private meetsConvolution(value: string): boolean {
    const reader = this.onlyReader(value);
    if (reader?.op !== 'Add') return false;
    const other = reader.inputs.find((name) => name !== value) ?? '';
    return this.convolved.has(other) && this.onlyReader(other) !== null;
  }

  /** Returns the zero channels that a Pad adds on both sides, null where it does anything else. */
  private addedChannels(node: GraphNode): [number, number] | null {
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

  private replace([first, ...others]: GraphNode[], made: Buffer[]): void {
    if (first) this.replaced.set(first, made);
    for (const node of others) this.replaced.set(node, []);
  }

  /** Depthwise convolution: each channel times `factor`, plus `offset`. */
  private depthwise(
    made: Buffer[],
    x: string,
    channels: number,
    factor: (channel: number) => number,
    offset?: (channel: number) => number,
    output?: string,
  ): string {
    const values = (of: (channel: number) => number): Float32Array =>
      Float32Array.from({ length: channels }, (_, channel) => of(channel));
    const weights = this.constant([channels, 1, 1, 1], values(factor));
    const inputs = offset === undefined ? [x, weights] : [x, weights, this.constant([channels], values(offset))];
    return this.add(made, 'Conv', inputs, output, [wholeAttribute('group', channels)]);
  }

  private clip(made: Buffer[], x: string, [low, high]: [number, number], output?: string): string {
    if (this.graph.opset < CLIP_INPUTS_OPSET) {
      return this.add(made, 'Clip', [x], output, [floatAttribute('min', low), floatAttribute('max', high)]);
    }
    const bounds = [low, high].map((bound) => this.constant([], Float32Array.of(bound)));
    return this.add(made, 'Clip', [x, ...bounds], output);
  }

  private add(
    made: Buffer[],
    op: string,
    inputs: string[],
    output = this.newName(),
    attributes: Buffer[] = [],
  ): string {
    for (const name of inputs) this.read.add(name);
    made.push(operator(op, inputs, output, attributes));
    return output;
  }

  private constant(dims: readonly number[], values: Float32Array): string {
    const name = this.newName();
    this.numbers += values.length;
    this.initializers.push(tensor(name, ELEMENT.float32, dims, values));
    return name;
  }

  private newName(): string {
    return `adit_cpu/${this.names++}`;
  }

  /** Appends in place, since a graph may have a million nodes that read one value. */
  private addReader(name: string, node: GraphNode): void {
    const readers = this.readers.get(name);
    if (readers) readers.push(node);
    else this.readers.set(name, [node]);
  }

  private onlyReader(name: string): GraphNode | null {
    const readers = this.readers.get(name) ?? [];
    const [reader] = readers;
    return reader === undefined || readers.length > 1 || this.outputs.has(name) ? null : reader;
  }

  private lineBehind(value: string): Line {
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
  private withNumber({ op, inputs }: GraphNode): { value: string; number: number; isFirst: boolean } | null {
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

  private boundsOf(node: GraphNode): [number, number] | null {
    if (node.op !== 'Clip') return null;
    const [, low = '', high = ''] = node.inputs;
    const isOld = this.graph.opset < CLIP_INPUTS_OPSET;
    const bounds = isOld ? [floatOf(node, 'min'), floatOf(node, 'max')] : [this.numberOf(low), this.numberOf(high)];
    const [least, most] = bounds;
    return least == null || most == null || !(least <= most) ? null : [least, most];
  }

  private blocksOf(value: string): number | null {
    const channels = this.channels.get(value) ?? 0;
    return channels > 0 && channels % BLOCK === 0 ? channels : null;
  }

  private channelsBehind({ op, inputs }: GraphNode): number | null {
    if (op === 'Conv') {
      const dims = this.graph.constants.get(inputs[1] ?? '')?.dims ?? [];
      return dims.length === 4 ? elementAt(dims, 0) : null;
    }
    const known = (name: string): number | null => this.channels.get(name) ?? null;
    if (PER_CHANNEL.has(op)) return known(inputs[0] ?? '');
    if (!PAIRWISE.has(op)) return null;
    const { constants } = this.graph;
    // Any other operand has as many channels, or one for all.
    const [channels, ...others] = new Set(inputs.flatMap((name) => known(name) ?? []));
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
function isPerChannel({ dims }: GraphConstant, channels: number): boolean {
  const [first, ...rest] = dims.length === 4 && dims[0] === 1 ? dims.slice(1) : dims;
  return first === channels && rest.length === 2 && rest.every((dim) => dim === 1);
}
