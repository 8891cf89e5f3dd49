import { elementAt } from '@adit/contracts/lists';
import { attributeFieldsOf, ELEMENT, readGraph, type GraphNode, type ReadGraph } from './graph-reading.js';
import { BLOCK, CLIP_INPUTS_OPSET, GraphValues, isPerChannel, MAX_NUMBER_DIMS } from './graph-values.js';
import { floatAttribute, modelWith, operator, tensor, wholeAttribute } from './graph-writing.js';

/** Limit of rewritten numbers, some 64 MiB; larger rewrites are skipped. */
const MAX_NUMBERS = 2 ** 24;
/** Largest number of channels that a 1×1 convolution adds. */
const MAX_ADDED = 128;

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

class Rewriting {
  /** Replacements of nodes. */
  private readonly replaced = new Map<GraphNode, Buffer[]>();
  private readonly initializers: Buffer[] = [];
  private readonly values: GraphValues;
  /** Values that the replacements read. */
  private readonly read: Set<string>;
  private names = 0;
  private numbers = 0;

  constructor(private readonly graph: ReadGraph) {
    this.values = new GraphValues(graph);
    this.read = new Set(graph.outputs);
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
    const channels = this.values.blocksOf(x);
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
    const second = this.values.onlyReader(elementAt(first.outputs, 0));
    if (second === null || !['Min', 'Max'].includes(second.op) || second.op === first.op) return;
    const [one, other] = [this.values.withNumber(first), this.values.withNumber(second)];
    // A constant with more dimensions than the value would change the value's dimensions.
    if (one === null || other === null || this.values.channelsOf(one.value) === null) return;
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
    const line = this.values.lineBehind(elementAt(node.outputs, 0));
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
    const moved = this.values.withNumber(node);
    const clip = this.values.onlyReader(elementAt(node.outputs, 0));
    const bounds = clip && this.values.boundsOf(clip);
    const product = clip && this.values.onlyReader(elementAt(clip.outputs, 0));
    const channels = moved && this.values.blocksOf(moved.value);
    if (!bounds || product?.op !== 'Mul' || !channels || !product.inputs.includes(moved.value)) return;
    const line = this.values.lineBehind(elementAt(product.outputs, 0));
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
    const channels = this.values.channelsOf(x) ?? 0;
    const added = this.values.addedChannels(node);
    if (added === null || channels === 0 || !this.values.meetsConvolution(output)) return;
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
    const channels = this.values.channelsOf(x) ?? 0;
    // Channels that fill whole blocks stay in them anyway.
    if (channels % BLOCK === 0 || node.outputs.length > 1 || !this.values.meetsConvolution(output)) return;
    const made: Buffer[] = [];
    const pooled = this.add(made, node.op, [x], undefined, attributeFieldsOf(node));
    this.depthwise(made, pooled, channels, () => 1, undefined, output);
    this.replace([node], made);
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
}
