import { AditError } from '@adit/contracts/errors';
import { typeOfOutput } from './float16-rules.js';
import { fieldOf, fieldsOf, type ReadField } from './protobuf.js';

/** TensorProto.DataType. */
export const ELEMENT = { float32: 1, int64: 7, bool: 9, float16: 10 } as const;
/** Other types that a graph may hold: integers, text and booleans. */
const PLAIN_TYPES: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 9, 12, 13];
export const CAST_TO = 'to';
/** Versions of the standard operators that `float16-rules.ts` covers. */
const OPSETS = { least: 7, most: 23 };
/** First IR version in which initialisers need not be inputs. */
const MIN_IR_VERSION = 4;
/** AttributeProto types that hold graphs or are not read here. */
const ATTRIBUTES_WITH_GRAPHS = [5, 10];
/**
 * Limit of nodes, weights and other fields: a quarter of a second of the reading thread. Large public models have
 * thousands.
 */
const MAX_FIELDS = 50_000;
/** Longest integer tensor that is read; pads and shapes are shorter. */
const MAX_WHOLES = 64;

export interface GraphNode {
  op: string;
  inputs: string[];
  outputs: string[];
  /** True when its first output is float32. */
  isFloat: boolean;
  raw: Uint8Array;
}

export class GraphConstant {
  private known: Float32Array | undefined;

  /**
   * `initializer` is the tensor as it stands among the initialisers; null for a node's. `data` is for float32, `wholes`
   * for int64.
   */
  constructor(
    readonly dims: readonly number[],
    readonly initializer: Uint8Array | null,
    private readonly data: Uint8Array | null,
    readonly wholes?: readonly number[],
  ) {}

  /** Values of a float32 constant, made on first access, since few callers read all weights. */
  get floats(): Float32Array | undefined {
    // A copy, since the bytes may be unaligned.
    if (this.data !== null) this.known ??= new Float32Array(new Uint8Array(this.data).buffer);
    return this.known;
  }
}

export interface ReadGraph {
  opset: number;
  /** In topological order. */
  nodes: GraphNode[];
  /** Initialisers, and tensors of Constant nodes, by name. */
  constants: Map<string, GraphConstant>;
  /** Element types by the value's name. */
  types: Map<string, number>;
  /** Names of the inputs that callers give, and of the outputs. */
  inputs: string[];
  outputs: string[];
  /** Fields of the graph other than nodes, initialisers and shapes of inner values. */
  others: Uint8Array[];
  /** Fields of the model except for the graph. */
  modelFields: Uint8Array[];
}

/** Reads a graph with the types of all its values. Throws VALIDATION, with the reason, for unknown content. */
export function readGraph(model: Uint8Array): ReadGraph {
  const bytes = fieldOf(model, 7)?.bytes;
  if (bytes === undefined) throw refused('it holds no graph');
  if ([...fieldsOf(model)].some(({ number }) => number === 20 || number === 25))
    throw refused('it has functions or a training of its own');
  const graph: ReadGraph = {
    opset: opsetOf(model),
    nodes: [],
    constants: new Map(),
    types: new Map(),
    inputs: [],
    outputs: [],
    others: [],
    modelFields: modelFieldsOf(model),
  };
  const fields: ReadField[] = [];
  for (const field of fieldsOf(bytes)) {
    if (fields.length === MAX_FIELDS) throw refused(`it has more than ${MAX_FIELDS} nodes and weights`);
    fields.push(field);
  }
  // Tensors come first: an input of the same name is no real input, since ONNX Runtime never replaces it.
  for (const { number, bytes: tensor } of fields) if (number === 5) addInitializer(graph, tensor);
  for (const { number, bytes: content, raw } of fields) {
    if (number === 15) throw refused('it has sparse weights');
    if (number === 11) addInput(graph, content, raw);
    else if (number === 12) graph.outputs.push(textOf(content, 1));
    // The shapes of inner values are inferred again.
    if (![1, 5, 11, 13, 14].includes(number)) graph.others.push(raw);
  }
  for (const { number, bytes: node } of fields) if (number === 1) addNode(graph, node);
  return graph;
}

function addInput(graph: ReadGraph, info: Uint8Array, raw: Uint8Array): void {
  const name = textOf(info, 1);
  if (graph.constants.has(name)) return;
  const tensor = fieldOf(fieldOf(info, 2)?.bytes ?? new Uint8Array(0), 1)?.bytes;
  setType(graph, name, (tensor && fieldOf(tensor, 1)?.value) ?? 0);
  graph.inputs.push(name);
  graph.others.push(raw);
}

function addInitializer(graph: ReadGraph, tensor: Uint8Array): void {
  const name = textOf(tensor, 8);
  graph.constants.set(name, constantOf(tensor, tensor));
  setType(graph, name, fieldOf(tensor, 2)?.value ?? 0);
}

function addNode(graph: ReadGraph, raw: Uint8Array): void {
  const fields = [...fieldsOf(raw)];
  const texts = (number: number): string[] =>
    fields.filter((field) => field.number === number).map(({ bytes }) => textIn(bytes));
  const [op = ''] = texts(4);
  const [domain = ''] = texts(7);
  const attributes = attributesOf(raw);
  if (domain !== '' && domain !== 'ai.onnx') throw refused(`it has the operator ${domain}.${op}`);
  if (attributes.some(holdsGraph)) throw refused(`it has a graph inside of ${op}`);
  const node: GraphNode = { op, inputs: texts(1), outputs: texts(2), isFloat: false, raw };
  for (const name of node.inputs) {
    if (name !== '' && !graph.types.has(name)) throw refused(`nothing gives ${name}, which ${op} reads`);
  }
  for (const [i, name] of node.outputs.entries()) {
    if (name !== '') setType(graph, name, outputType(graph, node, i, attributes));
  }
  node.isFloat = graph.types.get(node.outputs[0] ?? '') === ELEMENT.float32;
  graph.nodes.push(node);
  if (op !== 'Constant') return;
  const tensor = tensorOf(attributes, 'value');
  if (tensor !== undefined) graph.constants.set(node.outputs[0] ?? '', constantOf(tensor, null));
}

function outputType(graph: ReadGraph, { op, inputs }: GraphNode, index: number, attributes: Uint8Array[]): number {
  const typeOfInput = (input: number): number => graph.types.get(inputs[input] ?? '') ?? 0;
  switch (op) {
    case 'Cast':
      return fieldOf(attributeOf(attributes, CAST_TO) ?? new Uint8Array(0), 3)?.value ?? 0;
    case 'Where':
      return typeOfInput(1);
    case 'Constant':
    case 'ConstantOfShape': {
      const tensor = tensorOf(attributes, 'value');
      if (tensor !== undefined) return fieldOf(tensor, 2)?.value ?? 0;
      if (op === 'ConstantOfShape') return ELEMENT.float32;
      if (['value_float', 'value_floats'].some((name) => attributeOf(attributes, name))) return ELEMENT.float32;
      if (['value_int', 'value_ints'].some((name) => attributeOf(attributes, name))) return ELEMENT.int64;
      throw refused('it has a Constant of an unknown kind');
    }
  }
  const type = typeOfOutput(op, index);
  if (type === null) throw refused(`it has the operator ${op}`);
  return type === 'first' ? typeOfInput(0) : ELEMENT[type];
}

function setType(graph: ReadGraph, name: string, type: number): void {
  if (type !== ELEMENT.float32 && !PLAIN_TYPES.includes(type)) {
    throw refused(
      type === ELEMENT.float16 ? `${name} is in float16 already` : `${name} is neither float32 nor whole numbers`,
    );
  }
  graph.types.set(name, type);
}

function constantOf(tensor: Uint8Array, initializer: Uint8Array | null): GraphConstant {
  const fields = [...fieldsOf(tensor)];
  if (fields.some(({ number, value }) => number === 13 || (number === 14 && value !== 0)))
    throw refused('its weights lie in other files');
  const dims = fields.filter(({ number }) => number === 1).flatMap((field) => integersOf(field));
  const type = fieldOf(tensor, 2)?.value ?? 0;
  const raw = fields.findLast(({ number }) => number === 9)?.bytes;
  if (type === ELEMENT.int64) return new GraphConstant(dims, initializer, null, wholesOf(fields, raw));
  if (type !== ELEMENT.float32) return new GraphConstant(dims, initializer, null);
  // Unpacked numbers follow their key.
  const parts = fields
    .filter(({ number }) => number === 4)
    .map((field) => (field.bytes.length > 0 ? field.bytes : field.raw.subarray(-4)));
  const data = raw ?? Buffer.concat(parts);
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (data.length !== 4 * count)
    throw refused(`${textOf(tensor, 8) || 'a constant'} has not as many numbers as its shape`);
  return new GraphConstant(dims, initializer, data);
}

/** Returns the int64 values of a short tensor. */
function wholesOf(fields: readonly ReadField[], raw: Uint8Array | undefined): number[] | undefined {
  if (raw === undefined) {
    const own = fields.filter(({ number }) => number === 7);
    return own.length + own.reduce((sum, { bytes }) => sum + bytes.length, 0) > 8 * MAX_WHOLES
      ? undefined
      : own.flatMap((field) => integersOf(field));
  }
  if (raw.length % 8 !== 0 || raw.length > 8 * MAX_WHOLES) return undefined;
  return Array.from(new BigInt64Array(new Uint8Array(raw).buffer), Number);
}

/** Reads a repeated integer, packed or not. */
function integersOf({ raw, bytes, value }: { raw: Uint8Array; bytes: Uint8Array; value: number }): number[] {
  if ((raw[0] ?? 0) % 8 !== 2) return [value];
  const values: number[] = [];
  let sum = 0;
  let factor = 1;
  for (const byte of bytes) {
    sum += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      values.push(sum);
      [sum, factor] = [0, 1];
    }
  }
  return values;
}

function attributesOf(node: Uint8Array): Uint8Array[] {
  return [...fieldsOf(node)].filter(({ number }) => number === 5).map(({ bytes }) => bytes);
}

/** Returns a float attribute of a node; undefined without one. */
export function floatOf(node: GraphNode, name: string): number | undefined {
  const value = fieldOf(attributeOf(attributesOf(node.raw), name) ?? new Uint8Array(0), 2)?.raw;
  return value && Buffer.from(value).readFloatLE(value.length - 4);
}

/** Returns an integer list attribute of a node; undefined without one. */
export function wholesAttributeOf(node: GraphNode, name: string): number[] | undefined {
  const attribute = attributeOf(attributesOf(node.raw), name);
  if (attribute === undefined) return undefined;
  return [...fieldsOf(attribute)].filter(({ number }) => number === 8).flatMap((field) => integersOf(field));
}

/** Returns a text attribute of a node; undefined without one. */
export function textAttributeOf(node: GraphNode, name: string): string | undefined {
  const attribute = attributeOf(attributesOf(node.raw), name);
  return attribute && textOf(attribute, 4);
}

/** Returns the raw fields of a node's attributes, to be copied unchanged. */
export function attributeFieldsOf(node: GraphNode): Buffer[] {
  return attributesOf(node.raw).map((bytes) => Buffer.from(bytes));
}

function holdsGraph(attribute: Uint8Array): boolean {
  const fields = [...fieldsOf(attribute)];
  return fields.some(
    ({ number, value }) => [6, 11, 21].includes(number) || (number === 20 && ATTRIBUTES_WITH_GRAPHS.includes(value)),
  );
}

function attributeOf(attributes: Uint8Array[], name: string): Uint8Array | undefined {
  return attributes.find((attribute) => textOf(attribute, 1) === name);
}

function tensorOf(attributes: Uint8Array[], name: string): Uint8Array | undefined {
  const attribute = attributeOf(attributes, name);
  return attribute && fieldOf(attribute, 5)?.bytes;
}

function textOf(bytes: Uint8Array, number: number): string {
  return textIn(fieldOf(bytes, number)?.bytes ?? new Uint8Array(0));
}

function textIn({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

/** Returns the version of the standard operators. */
function opsetOf(model: Uint8Array): number {
  const own = [...fieldsOf(model)].filter(
    ({ number, bytes }) => number === 8 && ['', 'ai.onnx'].includes(textOf(bytes, 1)),
  );
  const opset = Math.max(0, ...own.map(({ bytes }) => fieldOf(bytes, 2)?.value ?? 0));
  if (opset < OPSETS.least || opset > OPSETS.most) throw refused(`its operators are of version ${opset}`);
  return opset;
}

function modelFieldsOf(model: Uint8Array): Uint8Array[] {
  return [...fieldsOf(model)]
    .filter(({ number }) => number !== 7)
    .map(({ number, value, raw }) => (number === 1 && value < MIN_IR_VERSION ? Uint8Array.of(8, MIN_IR_VERSION) : raw));
}

function refused(why: string): AditError {
  return new AditError('VALIDATION', why);
}
