import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '@adit/contracts';
import { conversionError } from './tensor.js';

/** Parts of a `traineddata` file by number (Tesseract's `TessdataType`). */
const PARTS = { network: 17, characters: 21, codes: 22 } as const;

/** A matrix of `outputs` rows, each `inputs` weights and then a bias, dequantised. */
export interface Weights {
  outputs: number;
  /** Without the bias. */
  inputs: number;
  values: Float32Array;
}

/** Gates of an LSTM, in the order of the file. */
export type Gates = [cell: Weights, into: Weights, forget: Weights, out: Weights];

/** A layer as the file nests them. */
export type Layer =
  | { kind: 'input'; height: number }
  | { kind: 'series'; layers: Layer[] }
  /** Stacks a window of its input; the weights that make it a convolution are the next layer's. */
  | { kind: 'convolve'; halfWidth: number; halfHeight: number }
  | { kind: 'maxpool'; width: number; height: number }
  /** Runs its inner layer from right to left, or along columns instead of rows. */
  | { kind: 'reversed' | 'transposed'; layer: Layer }
  /** `summary` keeps the last step alone. */
  | { kind: 'lstm'; summary: boolean; gates: Gates }
  | { kind: 'full'; activation: 'Tanh' | 'Softmax'; weights: Weights };

interface LineReader {
  network: Layer;
  /** Text of the network's outputs, '' for none. */
  labels: string[];
  /** The output that separates characters. */
  blank: number;
}

/**
 * Reads the LSTM line recogniser of a Tesseract 4 `traineddata` file, plain or gzipped (layout after its sources,
 * Apache-2.0: tessdatamanager, network, weightmatrix, unicharset, unicharcompress).
 * @throws AditError when it has none, or is no such file.
 */
export async function readLineReader(path: string): Promise<LineReader> {
  try {
    const bytes = await readFile(path);
    return parse(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  } catch (cause) {
    throw conversionError(`${path} is no Tesseract data with a line recogniser; install the package again`, cause);
  }
}

function parse(bytes: Buffer): LineReader {
  const parts = partsOf(bytes);
  const reader = new Reader(part(parts, PARTS.network));
  const network = readLayer(reader);
  // Network spec, flags, two iteration counts, then the separator.
  reader.text();
  reader.skip(3 * 4);
  const blank = reader.int32();
  const characters = charactersOf(part(parts, PARTS.characters).toString('utf8'));
  return { network, labels: labelsOf(new Reader(part(parts, PARTS.codes)), characters, blank), blank };
}

function partsOf(bytes: Buffer): Map<number, Buffer> {
  const reader = new Reader(bytes);
  const count = reader.int32();
  const starts = Array.from({ length: count }, () => Number(reader.int64()));
  const borders = [...starts.filter((start) => start >= 0), bytes.length].sort((a, b) => a - b);
  const parts = new Map<number, Buffer>();
  for (const [number, start] of starts.entries()) {
    if (start >= 0) parts.set(number, bytes.subarray(start, borders[borders.indexOf(start) + 1]));
  }
  return parts;
}

function part(parts: Map<number, Buffer>, number: number): Buffer {
  const found = parts.get(number);
  if (found === undefined) throw new RangeError(`part ${number} is missing`);
  return found;
}

/** One character per line after their count; the first is the space, the next two are special marks. */
function charactersOf(text: string): string[] {
  const [, ...lines] = text.split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line, id) => (id === 0 ? ' ' : id < 3 ? '' : elementAt(line.split(' '), 0)));
}

/** Each character's code is one output; scripts whose characters take several outputs are refused. */
function labelsOf(reader: Reader, characters: string[], blank: number): string[] {
  const labels: string[] = [];
  const count = reader.int32();
  for (let id = 0; id < count; id += 1) {
    reader.skip(1);
    const length = reader.int32();
    if (length !== 1) throw new RangeError(`character ${id} takes ${length} outputs`);
    const code = reader.int32();
    if (code !== blank) labels[code] = characters[id] ?? '';
  }
  return Array.from({ length: Math.max(labels.length, blank + 1) }, (_, code) => labels[code] ?? '');
}

function readLayer(reader: Reader): Layer {
  if (reader.int8s(1)[0] !== 0) throw new RangeError('layers are named by number, as before Tesseract 4');
  const type = reader.text();
  reader.skip(2);
  const flags = reader.int32();
  reader.skip(3 * 4);
  reader.text();
  switch (type) {
    case 'Input': {
      const [, height] = [reader.int32(), reader.int32(), reader.int32(), reader.int32(), reader.int32()];
      return { kind: 'input', height: height };
    }
    case 'Series':
      return { kind: 'series', layers: readLayers(reader, flags) };
    case 'Convolve':
      return { kind: 'convolve', halfWidth: reader.int32(), halfHeight: reader.int32() };
    case 'Maxpool':
      return { kind: 'maxpool', width: reader.int32(), height: reader.int32() };
    case 'RTLReversed':
      return { kind: 'reversed', layer: elementAt(readLayers(reader, flags), 0) };
    case 'XYTranspose':
      return { kind: 'transposed', layer: elementAt(readLayers(reader, flags), 0) };
    case 'LSTM':
    case 'SummLSTM': {
      reader.skip(4);
      const gates: Gates = [readWeights(reader), readWeights(reader), readWeights(reader), readWeights(reader)];
      return { kind: 'lstm', summary: type === 'SummLSTM', gates };
    }
    case 'Tanh':
    case 'Softmax':
      return { kind: 'full', activation: type, weights: readWeights(reader) };
    default:
      throw new RangeError(`layers of the kind ${type} are not known`);
  }
}

/** Reads the layers inside one, and then each one's training state. */
function readLayers(reader: Reader, flags: number): Layer[] {
  const layers = Array.from({ length: reader.int32() }, () => readLayer(reader));
  if ((flags & LAYER_SPECIFIC_RATES) !== 0) reader.skip(4 * reader.int32());
  return layers;
}

const LAYER_SPECIFIC_RATES = 64;
/** Bits of a matrix's mode: eight-bit weights; scales as doubles, without which the file is older. */
const EIGHT_BITS = 1;
const DOUBLES = 128;

function readWeights(reader: Reader): Weights {
  const mode = reader.uint8();
  if ((mode & DOUBLES) === 0) throw new RangeError('weights are in the format before Tesseract 4');
  const [outputs, columns] = [reader.int32(), reader.int32()];
  const values = new Float32Array(outputs * columns);
  if ((mode & EIGHT_BITS) !== 0) {
    reader.skip(1);
    values.set(reader.int8s(values.length));
    const scales = Array.from({ length: reader.int32() }, () => reader.float64());
    scales.forEach((scale, row) => {
      for (let i = row * columns; i < (row + 1) * columns; i += 1) values[i]! *= scale;
    });
  } else {
    reader.skip(8);
    for (let i = 0; i < values.length; i += 1) values[i] = reader.float64();
  }
  return { outputs, inputs: columns - 1, values };
}

/** Little-endian values one after the other. */
class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  skip(count: number): void {
    this.at += count;
  }

  int8s(count: number): Int8Array {
    const at = this.step(count);
    if (this.at > this.bytes.length) throw new RangeError('the data end within a matrix');
    return new Int8Array(this.bytes.buffer, this.bytes.byteOffset + at, count);
  }

  uint8(): number {
    return this.bytes.readUInt8(this.step(1));
  }

  int32(): number {
    return this.bytes.readInt32LE(this.step(4));
  }

  int64(): bigint {
    return this.bytes.readBigInt64LE(this.step(8));
  }

  float64(): number {
    return this.bytes.readDoubleLE(this.step(8));
  }

  text(): string {
    const length = this.int32();
    const at = this.step(length);
    return this.bytes.toString('utf8', at, at + length);
  }

  private step(size: number): number {
    const { at } = this;
    this.at += size;
    return at;
  }
}
