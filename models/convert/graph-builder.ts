import onnxProto, { type onnx } from 'onnx-proto';
import { sizeOf, type ConstantTensor, type TensorType } from './tensor.js';

/** Name of the symbolic batch dimension of every graph built here. */
export const BATCH = 'N';
/** A dimension known while converting, or the name of one known only when the graph runs, such as the batch. */
export type Dim = number | string;

/** An attribute of an ONNX node; a bare number is an integer, since ONNX tells integers and floats apart. */
export type Attribute = number | readonly number[] | string | { readonly float: number };

// From the ONNX protocol: TensorProto.DataType and AttributeProto.AttributeType.
const DATA_TYPE = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9 } as const;
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 } as const;

/** ONNX Runtime's own operators: quantised products and fused attention. */
export const MICROSOFT = 'com.microsoft';

// Opset 17 still takes the axes of reductions as attributes; ONNX Runtime >= 1.12 reads it.
const OPSET = 17;
const IR_VERSION = 8;

/**
 * Collects nodes and constants of an ONNX graph and writes the model. Names come from one counter in the order of
 * calls, so the output is deterministic.
 */
export class GraphBuilder {
  private readonly nodes: onnx.INodeProto[] = [];
  private readonly initializers: onnx.ITensorProto[] = [];
  private readonly inputs: onnx.IValueInfoProto[] = [];
  private readonly outputs: onnx.IValueInfoProto[] = [];
  private readonly sharedConstants = new Map<string, string>();
  private names = 0;

  /** `microsoft`: the graph uses operators of that domain. */
  constructor(private readonly dialect: { opset: number; microsoft?: boolean } = { opset: OPSET }) {}

  /**
   * Adds a node with one output and returns that output's name, one from the counter unless it is given. An empty input
   * name omits an optional input.
   */
  node(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    { domain, name }: { domain?: string; name?: string } = {},
  ): string {
    const output = name ?? this.nextName('t');
    this.add(op, inputs, attributes, [output], domain);
    return output;
  }

  /** Adds a node with several outputs. */
  outputsOf(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
    outputs: number,
  ): string[] {
    const names = Array.from({ length: outputs }, () => this.nextName('t'));
    this.add(op, inputs, attributes, names);
    return names;
  }

  private add(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
    output: readonly string[],
    domain?: string,
  ): void {
    this.nodes.push({
      opType: op,
      ...(domain === undefined ? {} : { domain }),
      name: `${op}_${output[0] ?? ''}`,
      input: [...inputs],
      output: [...output],
      attribute: Object.entries(attributes).map(([name, value]) => attributeProto(name, value)),
    });
  }

  input(name: string, dims: readonly Dim[], type: 'float32' | 'int64' = 'float32'): string {
    this.inputs.push(valueInfo(name, type, dims));
    return name;
  }

  /** An output of the graph; a copy of `value`, unless that has the name already. */
  output(name: string, value: string, dims: readonly Dim[], type: TensorType | 'int64' = 'float32'): void {
    if (value !== name)
      this.nodes.push({ opType: 'Identity', name: `output_${name}`, input: [value], output: [name], attribute: [] });
    this.outputs.push(valueInfo(name, type, dims));
  }

  constant(tensor: ConstantTensor): string {
    return this.initializer(tensor.dims, DATA_TYPE[tensor.type], tensor.data);
  }

  /** A float32 constant; a scalar unless dims are given. */
  floats(values: ArrayLike<number>, dims: readonly number[] = []): string {
    return this.constant({ type: 'float32', dims, data: Float32Array.from(values) });
  }

  /** A vector of int64, the type ONNX wants for shapes, axes and pads; equal vectors share one initializer. */
  integers(values: readonly number[]): string {
    const key = values.join(',');
    const known = this.sharedConstants.get(key);
    if (known !== undefined) return known;
    const name = this.initializer([values.length], DATA_TYPE.int64, BigInt64Array.from(values, BigInt));
    this.sharedConstants.set(key, name);
    return name;
  }

  /** Quantised weights. */
  quantised(data: Int8Array | Uint8Array, dims: readonly number[]): string {
    return this.initializer(dims, data instanceof Int8Array ? DATA_TYPE.int8 : DATA_TYPE.uint8, data);
  }

  /** Returns the model as ONNX bytes; equal graphs give equal bytes. */
  toModel(name: string): Uint8Array {
    return onnxProto.onnx.ModelProto.encode({
      irVersion: IR_VERSION,
      producerName: 'adit',
      opsetImport: [
        { domain: '', version: this.dialect.opset },
        ...(this.dialect.microsoft ? [{ domain: MICROSOFT, version: 1 }] : []),
      ],
      graph: {
        name,
        node: this.nodes,
        initializer: this.initializers,
        input: this.inputs,
        output: this.outputs,
      },
    }).finish();
  }

  private initializer(dims: readonly number[], dataType: number, data: ArrayBufferView & { length: number }): string {
    if (sizeOf(dims) !== data.length) throw new RangeError(`${data.length} values do not fill ${dims.join('×')}`);
    const name = this.nextName('c');
    const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.initializers.push({ name, dims: [...dims], dataType, rawData });
    return name;
  }

  private nextName(prefix: string): string {
    this.names += 1;
    return `${prefix}${this.names}`;
  }
}

function attributeProto(name: string, value: Attribute): onnx.IAttributeProto {
  if (typeof value === 'number') return { name, type: ATTRIBUTE_TYPE.int, i: value };
  if (typeof value === 'string') return { name, type: ATTRIBUTE_TYPE.string, s: Buffer.from(value) };
  if ('float' in value) return { name, type: ATTRIBUTE_TYPE.float, f: value.float };
  return { name, type: ATTRIBUTE_TYPE.ints, ints: [...value] };
}

function valueInfo(name: string, type: TensorType | 'int64', dims: readonly Dim[]): onnx.IValueInfoProto {
  const dim = dims.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType: DATA_TYPE[type], shape: { dim } } } };
}
