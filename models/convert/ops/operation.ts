import type { GraphBuilder } from '../graph-builder.js';
import { conversionError } from '../tensor.js';
import type { TfjsNode } from '../tfjs-model.js';
import type { GraphValue } from '../tfjs-value.js';

/** Adds the ONNX nodes that compute what one TensorFlow node computes; a list for a node of several outputs. */
export type OpHandler = (operation: Operation) => GraphValue | readonly GraphValue[];

/** One TensorFlow node being converted: its inputs, already converted, and its attributes by type. */
export class Operation {
  constructor(
    readonly graph: GraphBuilder,
    private readonly node: TfjsNode,
    private readonly inputs: readonly GraphValue[],
  ) {}

  get name(): string {
    return this.node.name;
  }

  input(index: number): GraphValue {
    const value = this.inputs[index];
    if (value === undefined) throw conversionError(`input ${index} is missing`);
    return value;
  }

  allInputs(): GraphValue[] {
    return [...this.inputs];
  }

  optionalInput(index: number): GraphValue | undefined {
    return this.inputs[index];
  }

  integers(name: string, fallback?: readonly number[]): readonly number[] {
    const found = this.node.attr[name]?.list?.i ?? fallback;
    if (found === undefined) throw conversionError(`attribute ${name} is missing`);
    return found;
  }

  float(name: string, fallback: number): number {
    return this.node.attr[name]?.f ?? fallback;
  }

  flag(name: string): boolean {
    return this.node.attr[name]?.b ?? false;
  }

  text(name: string, fallback: string): string {
    return this.node.attr[name]?.s ?? fallback;
  }

  texts(name: string): readonly string[] {
    return this.node.attr[name]?.list?.s ?? [];
  }

  /** Sizes of the attribute `shape`; -1 where TensorFlow leaves them open. */
  shape(): readonly number[] {
    return this.node.attr['shape']?.shape?.dim.map(({ size }) => size) ?? [];
  }
}
