// @ts-check
/**
 * Tensors in a file that two processes have open: one puts them there, the other takes them, and what goes through their channel says
 * where they lie. They read and write by position and map nothing, so that a file that the other one cuts short is no more than too
 * little read. Plain JavaScript, because the process that runs the models loads it straight from the source folder in tests.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {{ name: string, type: string, dims: readonly number[], at: number }} Placed
 * @typedef {object} RoomFile
 * @property {(view: Uint8Array, at: number) => number | Promise<number>} read how many bytes were read from there
 * @property {(view: Uint8Array, at: number) => number | Promise<number>} write how many were written there
 */

/** The file has a room for each of so many calls; what is never written takes no memory. */
export const ROOMS = 4;
export const ROOM_BYTES = 32 * 2 ** 20;
/** Less goes through the channel as fast. */
const LEAST_BYTES = 16 * 2 ** 10;

const ARRAYS = {
  ...{ float32: Float32Array, float16: Uint16Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array },
  bool: Uint8Array,
};

/**
 * The tensors with `at` instead of `data` where their bytes lie in the room now; those that are small, or too much for it or for the
 * disk, stay as they are.
 *
 * @template {object} T
 * @param {RoomFile} file
 * @param {number} room
 * @param {readonly T[]} tensors
 * @returns {Promise<(T | Placed)[]>}
 */
export async function putTensors(file, room, tensors) {
  let at = room * ROOM_BYTES;
  const end = at + ROOM_BYTES;
  const put = [];
  for (const tensor of tensors) {
    const data = /** @type {Tensor['data'] | undefined} */ ('data' in tensor ? tensor.data : undefined);
    const bytes = data?.byteLength ?? 0;
    if (data === undefined || bytes < LEAST_BYTES || at + bytes > end || !(await isWritten(file, data, at))) {
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
 * The same tensors with their data. Throws RangeError for one that does not lie in the room.
 *
 * @param {RoomFile} file
 * @param {number} room
 * @param {readonly object[]} tensors
 * @param {(name: string, bytes: number) => ArrayBuffer} [memoryFor] at least so many bytes for the data of a tensor, by default new ones
 */
export async function takeTensors(file, room, tensors, memoryFor = (_, bytes) => new ArrayBuffer(bytes)) {
  const taken = [];
  for (const tensor of tensors) {
    if (!('at' in tensor)) {
      taken.push(tensor);
      continue;
    }
    const { name, type, dims, at } = /** @type {Placed} */ (tensor);
    const Data = ARRAYS[/** @type {keyof typeof ARRAYS} */ (type)];
    const count = Array.isArray(dims) && dims.every((dim) => dim >= 0) ? dims.reduce((all, dim) => all * dim, 1) : NaN;
    const fits = at >= room * ROOM_BYTES && at + count * Data?.BYTES_PER_ELEMENT <= (room + 1) * ROOM_BYTES;
    if (!fits || !Number.isInteger(at) || !Number.isInteger(count)) {
      throw new RangeError(`The tensor ${name} does not lie where its call put it.`);
    }
    const data = new Data(memoryFor(name, count * Data.BYTES_PER_ELEMENT), 0, count);
    if ((await file.read(bytesOf(data), at)) !== data.byteLength) {
      throw new RangeError(`Of the tensor ${name} there is too little.`);
    }
    taken.push({ name, type, dims, data });
  }
  return taken;
}

/**
 * A disk that is full is no failure: there is the channel.
 *
 * @param {RoomFile} file
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
