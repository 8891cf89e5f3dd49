import type { Axis, GraphValue } from '@adit/inference';
import { externalOf, TENSOR_TYPES, valuesOf, type Weight } from './onnx-weight.js';
import type { FileField, ProtobufFile } from './protobuf-file.js';
import { refused, shown } from './refusal.js';

/** Outline of an ONNX file, without its weights. */
export interface OnnxOutline {
  irVersion: number;
  /** `pytorch 2.4.0`; empty without one. */
  producer: string;
  /** Versions of operator sets by domain; `''` is ONNX's own. */
  opsets: Record<string, number>;
  /** Metadata of the exporter, such as Ultralytics' `names` and `stride`. */
  metadata: Record<string, string>;
  /** Without those that have a weight as default. */
  inputs: GraphValue[];
  outputs: GraphValue[];
  /** Uses of each operator, as `Conv` or `com.microsoft:Gelu`, including functions and inner graphs. */
  operators: Record<string, number>;
  /** Operators that the file defines itself, in the same notation. */
  functions: string[];
  nodes: number;
  weights: Weight[];
  /** Number of values in all weights. */
  parameters: number;
}

/** Limits above any model for pictures and sound; the largest public ones have some thousands of nodes and weights. */
export const ONNX_LIMITS = {
  nodes: 100_000,
  weights: 50_000,
  /** Fields of all messages together, including nested ones, which every loader has to read. */
  fields: 1_000_000,
  /** Fields of the file, a node, an input, an entry: of everything but graphs and number lists. */
  fieldsOfOne: 10_000,
  /** Fields of a graph or a function. */
  fieldsOfGraph: 250_000,
  values: 1_000,
  /** Depth of nested graphs, as in If and Loop. */
  depth: 16,
  nameBytes: 4096,
  metadataEntries: 1_000,
  /** Bytes of all metadata together. */
  metadataBytes: 8 * 1024 * 1024,
  axes: 64,
} as const;

/**
 * Reads a file's outline, in one pass that skips the weights' values. Throws VALIDATION with the error, in a sentence
 * for the model's author.
 */
export function readOutline(file: ProtobufFile): OnnxOutline {
  return new OutlineReader(file).read();
}

class OutlineReader {
  private readonly outline: OnnxOutline = {
    irVersion: 0,
    producer: '',
    opsets: {},
    metadata: {},
    inputs: [],
    outputs: [],
    operators: {},
    functions: [],
    nodes: 0,
    weights: [],
    parameters: 0,
  };
  // Maps, because the file chooses the keys.
  private readonly operators = new Map<string, number>();
  private readonly opsets = new Map<string, number>();
  private readonly metadata = new Map<string, string>();
  private metadataBytes = 0;

  private fieldsRead = 0;

  constructor(private readonly file: ProtobufFile) {}

  read(): OnnxOutline {
    const producer = ['', ''];
    let graphs = 0;
    for (const field of this.fields()) {
      switch (field.number) {
        case 1:
          this.outline.irVersion = field.value;
          break;
        case 2:
        case 3:
          producer[field.number - 2] = this.name(field, "the exporter's name");
          break;
        case 7:
          graphs++;
          this.graph(field, 0);
          break;
        case 8:
          this.opset(field);
          break;
        case 14:
          this.metadataEntry(field);
          break;
        case 20:
          throw refused('It carries a training graph: export it for inference.');
        case 25:
          this.function(field);
          break;
      }
    }
    if (graphs !== 1)
      throw refused(graphs === 0 ? 'It is not an ONNX file: it holds no graph.' : 'It holds two graphs.');
    if (this.outline.nodes === 0) throw refused('Its graph does nothing: it holds no node.');
    if (this.opsets.size === 0) throw refused('It does not say which operators it is made of.');
    this.outline.producer = producer.join(' ').trim();
    this.outline.operators = Object.fromEntries([...this.operators].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.outline.opsets = Object.fromEntries(this.opsets);
    this.outline.metadata = Object.fromEntries(this.metadata);
    const defaults = new Set(this.outline.weights.map(({ name }) => name));
    this.outline.inputs = this.outline.inputs.filter(({ name }) => !defaults.has(name));
    return this.outline;
  }

  /**
   * A field may have a few bytes, so a file of megabytes may hold millions of meaningless ones, which are skipped one
   * by one.
   */
  private *fields(start?: number, end?: number, most: number = ONNX_LIMITS.fieldsOfOne): Generator<FileField> {
    let own = 0;
    for (const field of this.file.fields(start, end)) {
      if (++own > most || ++this.fieldsRead > ONNX_LIMITS.fields) {
        throw refused(
          `It has more than ${own > most ? `${most} fields in one message` : `${ONNX_LIMITS.fields} fields`}: no exporter writes so many.`,
        );
      }
      yield field;
    }
  }

  private graph(place: FileField, depth: number): void {
    if (depth > ONNX_LIMITS.depth) throw refused(`Its graphs lie more than ${ONNX_LIMITS.depth} deep in each other.`);
    for (const field of this.fields(place.start, place.end, ONNX_LIMITS.fieldsOfGraph)) {
      switch (field.number) {
        case 1:
          this.node(field, depth);
          break;
        case 5:
          this.weight(field);
          break;
        case 11:
          if (depth === 0) this.value(field, this.outline.inputs);
          break;
        case 12:
          if (depth === 0) this.value(field, this.outline.outputs);
          break;
        case 15:
          throw refused('It has sparse weights, which are not supported: export it with dense ones.');
      }
    }
  }

  private node(place: FileField, depth: number): void {
    if (++this.outline.nodes > ONNX_LIMITS.nodes) throw refused(`It has more than ${ONNX_LIMITS.nodes} nodes.`);
    let operator = '';
    let domain = '';
    for (const field of this.fields(place.start, place.end)) {
      if (field.number === 4) operator = this.name(field, "an operator's name");
      else if (field.number === 7) domain = this.name(field, "an operator's domain");
      else if (field.number === 5) this.attribute(field, depth);
    }
    if (operator === '') throw refused('A node does not say what it does.');
    const name = qualified(domain, operator);
    this.operators.set(name, (this.operators.get(name) ?? 0) + 1);
  }

  private attribute(place: FileField, depth: number): void {
    // Its lists are not packed.
    for (const field of this.fields(place.start, place.end, ONNX_LIMITS.fields)) {
      if (field.number === 5 || field.number === 10) this.weight(field);
      else if (field.number === 6 || field.number === 11) this.graph(field, depth + 1);
    }
  }

  private function(place: FileField): void {
    let name = '';
    let domain = '';
    for (const field of this.fields(place.start, place.end, ONNX_LIMITS.fieldsOfGraph)) {
      if (field.number === 1) name = this.name(field, "a function's name");
      else if (field.number === 7) this.node(field, 1);
      else if (field.number === 10) domain = this.name(field, "a function's domain");
    }
    this.outline.functions.push(qualified(domain, name));
  }

  private weight(place: FileField): void {
    if (this.outline.weights.length >= ONNX_LIMITS.weights) {
      throw refused(`It has more than ${ONNX_LIMITS.weights} weights.`);
    }
    const weight: Weight = { name: '', type: 'none', axes: [], raw: null, external: null };
    const external = new Map<string, string>();
    let type = 0;
    let isExternal = false;
    let listed = 0;
    // Unpacked numbers are one field each.
    for (const field of this.fields(place.start, place.end, ONNX_LIMITS.fields)) {
      switch (field.number) {
        case 1:
          for (const axis of this.file.integers(field)) {
            if (weight.axes.push(axis) > ONNX_LIMITS.axes)
              throw refused(`A weight has more than ${ONNX_LIMITS.axes} axes.`);
          }
          break;
        case 2:
          type = field.value;
          break;
        case 4:
        case 5:
        case 6:
        case 7:
        case 10:
        case 11:
          listed += Math.max(1, field.end - field.start);
          break;
        case 8:
          weight.name = this.name(field, "a weight's name");
          break;
        case 9:
          weight.raw = { start: field.start, end: field.end };
          break;
        case 13: {
          const [key, value] = this.entry(field, ONNX_LIMITS.nameBytes);
          external.set(key, value);
          break;
        }
        case 14:
          isExternal = field.value === 1;
          break;
      }
    }
    const known = TENSOR_TYPES[type];
    if (known === undefined)
      throw refused(`The weight ${shown(weight.name)} has the type ${type}, which ONNX does not have.`);
    weight.type = known[0];
    if (isExternal) weight.external = externalOf(weight.name, external);
    this.outline.parameters += valuesOf(weight, known[1], listed);
    this.outline.weights.push(weight);
  }

  private value(place: FileField, into: GraphValue[]): void {
    if (into.length >= ONNX_LIMITS.values) throw refused(`It has more than ${ONNX_LIMITS.values} inputs or outputs.`);
    const value: GraphValue = { name: '', type: null, axes: null };
    for (const field of this.fields(place.start, place.end)) {
      if (field.number === 1) value.name = this.name(field, "an input's or output's name");
      else if (field.number === 2) {
        for (const type of this.fields(field.start, field.end)) if (type.number === 1) this.tensorType(type, value);
      }
    }
    into.push(value);
  }

  private tensorType(place: FileField, value: GraphValue): void {
    for (const field of this.fields(place.start, place.end)) {
      if (field.number === 1) value.type = TENSOR_TYPES[field.value]?.[0] ?? null;
      else if (field.number === 2) {
        const axes: Axis[] = [];
        for (const axis of this.fields(field.start, field.end)) {
          if (axis.number !== 1) continue;
          if (axes.push(this.axis(axis)) > ONNX_LIMITS.axes)
            throw refused(`A value has more than ${ONNX_LIMITS.axes} axes.`);
        }
        value.axes = axes;
      }
    }
  }

  private axis(place: FileField): Axis {
    let axis: Axis = null;
    for (const field of this.fields(place.start, place.end)) {
      // Some exporters write −1 or 0 for an open axis.
      if (field.number === 1) axis = field.value > 0 ? field.value : null;
      else if (field.number === 2) axis = this.name(field, "an axis's name") || null;
    }
    return axis;
  }

  private opset(place: FileField): void {
    let domain = '';
    let version = 0;
    for (const field of this.fields(place.start, place.end)) {
      if (field.number === 1) domain = this.name(field, 'the domain of an operator set');
      else if (field.number === 2) version = field.value;
    }
    this.opsets.set(domain === 'ai.onnx' ? '' : domain, version);
  }

  private metadataEntry(place: FileField): void {
    this.metadataBytes += place.end - place.start;
    if (this.metadataBytes > ONNX_LIMITS.metadataBytes || this.metadata.size >= ONNX_LIMITS.metadataEntries) {
      throw refused(
        `Its metadata is more than ${ONNX_LIMITS.metadataEntries} entries or ${ONNX_LIMITS.metadataBytes} bytes.`,
      );
    }
    const [key, value] = this.entry(place, ONNX_LIMITS.metadataBytes);
    this.metadata.set(key, value);
  }

  private entry(place: FileField, maxBytes: number): [key: string, value: string] {
    let key = '';
    let value = '';
    for (const field of this.fields(place.start, place.end)) {
      if (field.number === 1) key = this.name(field, 'a key');
      else if (field.number === 2) value = this.file.text(field, maxBytes, `a value of ${shown(key)}`);
    }
    return [key, value];
  }

  private name(field: FileField, what: string): string {
    return this.file.text(field, ONNX_LIMITS.nameBytes, what);
  }
}

function qualified(domain: string, operator: string): string {
  return domain === '' || domain === 'ai.onnx' ? operator : `${domain}:${operator}`;
}
