// @ts-check
/**
 * Exchange of tensors through a file that two processes have open: one writes them, the other reads them, and the
 * messages of their channel state the positions. Access is by position without mapping, so that a file truncated by the
 * other end only reads short. Plain JavaScript, because the process that runs the models loads it straight from the
 * source folder in tests.
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {{ name: string, type: string, dims: readonly number[], at: number }} Placed
 * @typedef {object} SlotFile
 * @property {(view: Uint8Array, at: number) => number | Promise<number>} read returns the number of bytes read from
 * there
 * @property {(view: Uint8Array, at: number) => number | Promise<number>} write returns the number of bytes written
 * there
 */

/** Number of concurrent calls with a slot in the file; unwritten parts take no memory. */
export const SLOTS = 4;
export const SLOT_BYTES = 32 * 2 ** 20;
/** Smaller tensors are as fast through the channel. */
const MIN_BYTES = 16 * 2 ** 10;

const ARRAYS = {
  ...{ float32: Float32Array, float16: Uint16Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array },
  bool: Uint8Array,
};

/**
 * Writes tensors to the slot and returns them with `at` instead of `data`; small ones, and those that exceed the slot
 * or the disk, stay as they are.
 * @template {object} T
 * @param {SlotFile} file
 * @param {number} slot
 * @param {readonly T[]} tensors
 * @returns {Promise<(T | Placed)[]>}
 */
export async function putTensors(file, slot, tensors) {
  let at = slot * SLOT_BYTES;
  const end = at + SLOT_BYTES;
  const put = [];
  for (const tensor of tensors) {
    const data = /** @type {Tensor['data'] | undefined} */ ('data' in tensor ? tensor.data : undefined);
    const bytes = data?.byteLength ?? 0;
    if (data === undefined || bytes < MIN_BYTES || at + bytes > end || !(await isWritten(file, data, at))) {
      put.push(tensor);
      continue;
    }
    const { name, type, dims } = /** @type {Placed} */ (/** @type {unknown} */ (tensor));
    put.push({ name, type, dims, at });
    at += bytes;
  }
  return put;
}

/**
 * Reads the data of tensors back. Throws RangeError for one outside the slot.
 * @param {SlotFile} file
 * @param {number} slot
 * @param {readonly object[]} tensors
 * @param {(name: string, bytes: number) => ArrayBuffer} [memoryFor] returns at least that many bytes for a tensor's
 * data; new ones by default
 */
export async function takeTensors(file, slot, tensors, memoryFor = (_, bytes) => new ArrayBuffer(bytes)) {
  const taken = [];
  for (const tensor of tensors) {
    if (!('at' in tensor)) {
      taken.push(tensor);
      continue;
    }
    const { name, type, dims, at } = /** @type {Placed} */ (tensor);
    const Data = ARRAYS[/** @type {keyof typeof ARRAYS} */ (type)];
    const count = Array.isArray(dims) && dims.every((dim) => dim >= 0) ? dims.reduce((all, dim) => all * dim, 1) : NaN;
    const fits = at >= slot * SLOT_BYTES && at + count * Data?.BYTES_PER_ELEMENT <= (slot + 1) * SLOT_BYTES;
    if (!fits || !Number.isInteger(at) || !Number.isInteger(count)) {
      throw new RangeError(`The tensor ${name} lies outside the slot of its call.`);
    }
    const data = new Data(memoryFor(name, count * Data.BYTES_PER_ELEMENT), 0, count);
    if ((await file.read(bytesOf(data), at)) !== data.byteLength) {
      throw new RangeError(`The data of the tensor ${name} is truncated.`);
    }
    taken.push({ name, type, dims, data });
  }
  return taken;
}

/**
 * A full disk is no failure, since the channel remains.
 * @param {SlotFile} file
 * @param {Tensor['data']} data
 * @param {number} at
 */
async function isWritten(file, data, at) {
  try {
    return (await file.write(bytesOf(data), at)) === data.byteLength;
  } catch {
    return false;
  }
}

/** @param {Tensor['data']} data */
function bytesOf({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
