/**
 * WebAssembly that compares signs, generated because its loop is unrolled for the embedding's size: JavaScript has
 * neither 128-bit vectors nor a population count. Names of instructions are those of the specification's text format
 * (https://webassembly.github.io/spec/core/binary/instructions.html).
 */
const SIMD = 0xfd;
const OP = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branchIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Store: 0x36,
  i32Const: 0x41,
  i32Less: 0x49,
  i32Add: 0x6a,
} as const;
const VECTOR = {
  load: 0x00,
  store: 0x0b,
  splat: 0x11,
  notGreater: 0x3d,
  xor: 0x51,
  anyTrue: 0x53,
  popcount: 0x62,
  addBytes: 0x6e,
  widenBytes: 0x7d,
  widenWords: 0x7f,
  addWords: 0x8e,
} as const;
const TYPE = { i32: 0x7f, v128: 0x7b, function: 0x60, nothing: 0x40 } as const;
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const [ALIGNED_4, ALIGNED_16] = [2, 4];

/** The part of WebAssembly's interface in use: Node has it, its types do not. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** Grows by pages of 64 KiB; returns the previous number. Throws a RangeError beyond the maximum. */
  grow(pages: number): number;
}
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { host: { memory: WasmMemory } }) => { exports: { compare: SignKernel } };
};

/** Rows that are compared together, one per 32-bit lane of a vector. */
export const ROWS_TOGETHER = 4;
export const VECTOR_BYTES = 16;
/** Each step adds up to 8 to a byte, which holds 255. */
const WORDS_IN_BYTES = 31;

/** Bytes written per group: the distances of its rows, then the group's address; the rest is unused. */
export const FOUND_BYTES = 32;

/**
 * Compares rows with a query by the number of differing bits. Writes the groups with a row within `limit` to `found`,
 * and returns the end of the output. Addresses: `query` of the query's words, each four times; `rows` and `end` of rows
 * in groups of four, their first words side by side, then their second ones.
 */
export type SignKernel = (query: number, rows: number, end: number, limit: number, found: number) => number;

export function wasmMemory(initial: number, maximum: number): WasmMemory {
  return new WebAssembly.Memory({ initial, maximum });
}

/** Builds the kernel for rows of that many 32-bit words. Throws where the processor has no vectors. */
export function signKernel(words: number, memory: WasmMemory): SignKernel {
  return new WebAssembly.Instance(new WebAssembly.Module(moduleOf(words)), { host: { memory } }).exports.compare;
}

function moduleOf(words: number): Uint8Array {
  return Uint8Array.from([
    ...HEADER,
    ...section(1, [[TYPE.function, ...list(Array(5).fill([TYPE.i32])), ...list([[TYPE.i32]])]]),
    ...section(2, [[...text('host'), ...text('memory'), 2, 0, 0]]),
    ...section(3, [[0]]),
    ...section(7, [[...text('compare'), 0, 0]]),
    ...section(10, [sized([...list(LOCALS), ...bodyOf(words)])]),
  ]);
}

const [QUERY, ROWS, END, LIMIT, FOUND, IN_WORDS, DISTANCES] = [0, 1, 2, 3, 4, 5, 6];
const LOCALS = [[2, TYPE.v128]];

function bodyOf(words: number): number[] {
  const code: number[] = [OP.loop, TYPE.nothing];
  for (let from = 0; from < words; from += WORDS_IN_BYTES) {
    for (let at = from; at < Math.min(words, from + WORDS_IN_BYTES); at += 1) {
      const loaded = [ROWS, QUERY].flatMap((of) => [
        ...get(of),
        ...vector(VECTOR.load, ALIGNED_16, ...unsigned(VECTOR_BYTES * at)),
      ]);
      code.push(...loaded, ...vector(VECTOR.xor), ...vector(VECTOR.popcount));
      if (at > from) code.push(...vector(VECTOR.addBytes));
    }
    code.push(...vector(VECTOR.widenBytes));
    if (from > 0) code.push(...get(IN_WORDS), ...vector(VECTOR.addWords));
    code.push(OP.localSet, IN_WORDS);
  }
  code.push(...get(IN_WORDS), ...vector(VECTOR.widenWords), OP.localTee, DISTANCES);
  code.push(...get(LIMIT), ...vector(VECTOR.splat), ...vector(VECTOR.notGreater), ...vector(VECTOR.anyTrue));
  code.push(OP.if, TYPE.nothing);
  code.push(...get(FOUND), ...get(DISTANCES), ...vector(VECTOR.store, ALIGNED_16, 0));
  code.push(...get(FOUND), ...get(ROWS), OP.i32Store, ALIGNED_4, VECTOR_BYTES);
  code.push(...advance(FOUND, FOUND_BYTES), OP.end);
  code.push(...advance(ROWS, VECTOR_BYTES * words));
  return [...code, ...get(ROWS), ...get(END), OP.i32Less, OP.branchIf, 0, OP.end, ...get(FOUND), OP.end];
}

function advance(local: number, by: number): number[] {
  return [...get(local), ...constant(by), OP.i32Add, OP.localSet, local];
}

function get(local: number): number[] {
  return [OP.localGet, local];
}

function vector(operation: number, ...immediates: number[]): number[] {
  return [SIMD, ...unsigned(operation), ...immediates];
}

function constant(value: number): number[] {
  return [OP.i32Const, ...signed(value)];
}

function section(id: number, entries: readonly number[][]): number[] {
  return [id, ...sized(list(entries))];
}

function list(entries: readonly (readonly number[])[]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function text(value: string): number[] {
  return sized([...Buffer.from(value)]);
}

/** LEB128: seven bits per byte, the lowest first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Encodes a non-negative signed number: the sixth bit of its last byte would be the sign. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
