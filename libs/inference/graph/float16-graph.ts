import { AditError } from '@adit/contracts/errors';
import { fitsFloat16, toFloat16 } from './float16-number.js';
import { CAST_TO, ELEMENT, readGraph, type GraphConstant, type GraphNode, type ReadGraph } from './graph-reading.js';
import { inHalf, readsFull, rounds } from './float16-rules.js';
import { modelWith, operator, tensor, wholeAttribute } from './graph-writing.js';
import { fieldsOf, message, type Field } from './protobuf.js';

/** Arithmetic of a float16 graph: 16-bit numbers, or float32 rounded to them after every node. */
export type Float16Form = 'float16' | 'rounded';

/**
 * Rewrites a graph so that its products (convolutions, matrices) and the nodes between them are in float16, while its
 * inputs and outputs stay float32. The output is deterministic. ONNX Runtime's CPU provider has no float16 and
 * calculates such a graph in float32; `rounded` is for it, the same graph in float32 with every number rounded to
 * float16's 11 bits, without its range. Throws VALIDATION with the reason when a graph has to stay in float32 as a
 * whole: it contains unknown types, or nothing that would gain. A change of the resulting numbers requires a new
 * `FLOAT16_VERSION`.
 */
export function float16Graph(model: Uint8Array, form: Float16Form = 'float16'): Buffer {
  let graph: ReadGraph;
  try {
    graph = readGraph(model);
  } catch (error) {
    if (error instanceof AditError) throw error;
    throw new AditError('VALIDATION', 'it is no ONNX file', { cause: error });
  }
  return written(graph, halfNodes(graph), FORMS[form]);
}

/** Prefix of value names in float16; float32 values keep their names. */
const HALF = 'adit_half/';

/**
 * Returns the nodes that calculate in float16: products, and nodes between two of them unless their numbers may leave
 * the range. Nodes before the first product and after the last one stay unchanged: pixels, picture sizes, boxes.
 */
function halfNodes({ nodes, constants, opset }: ReadGraph): Set<GraphNode> {
  const fits = new Map<string, boolean>();
  const fitting = (name: string): boolean => {
    const constant = constants.get(name);
    if (constant?.floats === undefined) return true;
    const known = fits.get(name) ?? fitsFloat16(constant.floats);
    fits.set(name, known);
    return known;
  };
  const rules = new Map(nodes.map((node) => [node, node.inputs.every(fitting) ? inHalf(node.op, opset) : 'never']));
  /** Values that a product reads through converted nodes. */
  const awaited = new Set<string>();
  for (const node of nodes.toReversed()) {
    const rule = rules.get(node);
    const leads = rule === 'product' || (rule === 'between' && node.outputs.some((name) => awaited.has(name)));
    if (leads) for (const name of node.inputs) awaited.add(name);
  }
  const half = new Set<GraphNode>();
  const inFloat16 = new Set<string>();
  for (const node of nodes) {
    const rule = rules.get(node);
    const between =
      rule === 'between' &&
      node.inputs.some((name, index) => inFloat16.has(name) && !readsFull(node.op, index)) &&
      node.outputs.some((name) => awaited.has(name));
    if (node.isFloat && (rule === 'product' || between)) {
      half.add(node);
      for (const name of node.outputs) inFloat16.add(name);
    }
  }
  if (half.size === 0) throw new AditError('VALIDATION', 'it has no products in float32');
  return half;
}

function written(graph: ReadGraph, half: ReadonlySet<GraphNode>, form: Form): Buffer {
  const { types, constants } = graph;
  const isFloat = (name: string): boolean => types.get(name) === ELEMENT.float32;
  const readInHalf = (node: GraphNode, index: number): boolean =>
    half.has(node) && isFloat(node.inputs[index] ?? '') && !readsFull(node.op, index);
  /** Values by the form in which they are read. */
  const wanted = { half: new Set<string>(), full: new Set<string>(graph.outputs) };
  for (const node of graph.nodes) {
    for (const [i, name] of node.inputs.entries()) (readInHalf(node, i) ? wanted.half : wanted.full).add(name);
  }
  const initializers: Uint8Array[] = [...form.constants];
  for (const [name, constant] of constants) {
    if (constant.initializer !== null && (wanted.full.has(name) || !wanted.half.has(name)))
      initializers.push(constant.initializer);
    if (wanted.half.has(name)) initializers.push(form.tensor(HALF + name, constant));
  }
  const nodes: Uint8Array[] = graph.inputs.flatMap((name) =>
    wanted.half.has(name) ? form.toHalf(name, HALF + name) : [],
  );
  for (const node of graph.nodes) {
    const [output = ''] = node.outputs;
    // A constant that is read in float16 alone has become an initialiser.
    if (constants.has(output) && wanted.half.has(output) && !wanted.full.has(output)) continue;
    if (half.has(node)) {
      const inputs = node.inputs.map((name, i) => (readInHalf(node, i) ? HALF + name : name));
      nodes.push(...form.node(node, inputs, isFloat));
      for (const name of node.outputs) {
        if (isFloat(name) && wanted.full.has(name)) nodes.push(form.toFull(HALF + name, name));
      }
    } else {
      nodes.push(node.raw);
      for (const name of node.outputs) {
        if (wanted.half.has(name) && !constants.has(name)) nodes.push(...form.toHalf(name, HALF + name));
      }
    }
  }
  return modelWith(graph, nodes, initializers);
}

interface Form {
  constants: Buffer[];
  tensor(name: string, constant: GraphConstant): Buffer;
  toHalf(from: string, to: string): Buffer[];
  toFull(from: string, to: string): Buffer;
  /** Returns the node with these inputs; its float32 outputs are in float16. */
  node(node: GraphNode, inputs: string[], isFloat: (output: string) => boolean): Buffer[];
}

/**
 * Veltkamp's splitter, which keeps the first 11 of 24 bits: with `c = x · SPLITTER` they are `c - (c - x)` (T. J.
 * Dekker, A floating-point technique for extending the available precision, 1971).
 */
const SPLITTER = 2 ** 13 + 1;
const ROUNDING = 'adit_rounding/';

const FORMS: Record<Float16Form, Form> = {
  float16: {
    constants: [],
    tensor: (name, { dims, floats = new Float32Array(0) }) => tensor(name, ELEMENT.float16, dims, toFloat16(floats)),
    toHalf: (from, to) => [cast(from, to, ELEMENT.float16)],
    toFull: (from, to) => cast(from, to, ELEMENT.float32),
    node: (node, inputs, isFloat) => [renamed(node, inputs, (name) => (isFloat(name) ? HALF + name : name))],
  },
  rounded: {
    constants: [tensor(`${ROUNDING}splitter`, ELEMENT.float32, [], Float32Array.of(SPLITTER))],
    tensor: (name, { dims, floats = new Float32Array(0) }) => tensor(name, ELEMENT.float32, dims, floats.map(rounded)),
    toHalf: roundedTo,
    toFull: (from, to) => operator('Identity', [from], to),
    node: (node, inputs, isFloat) => {
      if (!rounds(node.op)) return FORMS.float16.node(node, inputs, isFloat);
      return [
        renamed(node, inputs, (name) => (isFloat(name) ? ROUNDING + name : name)),
        ...node.outputs.filter(isFloat).flatMap((name) => roundedTo(ROUNDING + name, HALF + name)),
      ];
    },
  },
};

// Accessing a global is slow in jest's contexts, so it is looked up once.
const { isFinite } = Number;
const { fround } = Math;

function rounded(value: number): number {
  if (!isFinite(value)) return value;
  const scaled = fround(value * SPLITTER);
  return scaled - fround(scaled - value);
}

function roundedTo(from: string, to: string): Buffer[] {
  const [scaled, rest] = [`${ROUNDING}scaled/${from}`, `${ROUNDING}rest/${from}`];
  return [
    operator('Mul', [from, `${ROUNDING}splitter`], scaled),
    operator('Sub', [scaled, from], rest),
    operator('Sub', [scaled, rest], to),
  ];
}

function renamed(node: GraphNode, inputs: string[], output: (name: string) => string): Buffer {
  const others = [...fieldsOf(node.raw)].filter(({ number }) => number > 2).map(({ raw }) => raw);
  const names = [...inputs.map((name): Field => [1, name]), ...node.outputs.map((name): Field => [2, output(name)])];
  return Buffer.concat([message(names), ...others]);
}

function cast(from: string, to: string, type: number): Buffer {
  return operator('Cast', [from], to, [wholeAttribute(CAST_TO, type)]);
}
