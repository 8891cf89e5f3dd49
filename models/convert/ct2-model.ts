import { conversionError } from './tensor.js';
import { float16ToNumber } from './weights.js';

const TYPES = ['float32', 'int8', 'int16', 'int32', 'float16', 'bfloat16'] as const;
type Ct2Type = (typeof TYPES)[number];

interface Ct2Variable {
  dims: readonly number[];
  type: Ct2Type;
  bytes: Buffer;
}

/** Variables of a CTranslate2 model.bin (binary version 6), by name. */
export class Ct2Model {
  private readonly variables = new Map<string, Ct2Variable>();

  private constructor(readonly spec: string) {}

  /**
   * uint32 version; string spec; uint32 revision; uint32 n, n variables; uint32 m, m aliases (alias, variable). A
   * variable: string name; uint8 rank; uint32 dims; uint8 type; uint32 bytes; the bytes. A string: uint16 length with
   * the closing zero. Little endian.
   * @throws AditError when the bytes are no such file, or truncated.
   */
  static read(file: Buffer): Ct2Model {
    let at = 0;
    const u8 = (): number => file.readUInt8((at += 1) - 1);
    const u32 = (): number => file.readUInt32LE((at += 4) - 4);
    const text = (): string => {
      const length = file.readUInt16LE((at += 2) - 2);
      at += length;
      return file.toString('utf8', at - length, at - 1);
    };
    const version = u32();
    if (version !== 6) throw conversionError(`CTranslate2 binary version ${version} is not known, only 6 is`);
    const model = new Ct2Model(text());
    u32();
    for (let left = u32(); left > 0; left -= 1) {
      const name = text();
      const dims = Array.from({ length: u8() }, u32);
      const type = TYPES[u8()];
      const size = u32();
      if (type === undefined) throw conversionError(`${name} is of an unknown type`);
      if (at + size > file.length) throw conversionError(`the file ends within ${name}`);
      model.variables.set(name, { dims, type, bytes: file.subarray(at, at + size) });
      at += size;
    }
    for (let left = u32(); left > 0; left -= 1) {
      const alias = text();
      model.variables.set(alias, model.variable(text()));
    }
    if (at !== file.length) throw conversionError(`the file has ${file.length - at} bytes too many`);
    return model;
  }

  has(name: string): boolean {
    return this.variables.has(name);
  }

  dims(name: string): readonly number[] {
    return this.variable(name).dims;
  }

  /** Returns an integer. */
  scalar(name: string): number {
    const { bytes, type } = this.variable(name);
    if (type === 'int8') return bytes.readInt8(0);
    if (type === 'int16') return bytes.readInt16LE(0);
    if (type === 'int32') return bytes.readInt32LE(0);
    throw conversionError(`${name} is no whole number`);
  }

  floats(name: string): Float32Array {
    const { bytes, type, dims } = this.variable(name);
    const count = dims.reduce((product, dim) => product * dim, 1);
    if (type !== 'float32' && type !== 'float16')
      throw conversionError(`${name} is ${type}: take a conversion to float16 or float32`);
    const values = new Float32Array(count);
    if (type === 'float32') for (let i = 0; i < count; i += 1) values[i] = bytes.readFloatLE(4 * i);
    else for (let i = 0; i < count; i += 1) values[i] = HALVES[bytes.readUInt16LE(2 * i)] as number;
    return values;
  }

  private variable(name: string): Ct2Variable {
    const variable = this.variables.get(name);
    if (!variable) throw conversionError(`the model has no ${name}`);
    return variable;
  }
}

const HALVES = Float32Array.from({ length: 1 << 16 }, (_, bits) => float16ToNumber(bits));
