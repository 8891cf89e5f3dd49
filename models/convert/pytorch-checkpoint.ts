import { PickledCall, PickledGlobal, PickledReference, readPickle, type Pickled } from './pickle.js';
import { conversionError, sizeOf, type ConstantTensor } from './tensor.js';

// torch/serialization.py
const MAGIC = 0x1950a86a20f9469cfc6cn;
const PROTOCOL = 1001;
const REBUILD = 'torch._utils._rebuild_tensor_v2';
const FLOATS = 'torch.FloatStorage';

/** A part of a storage that forms a tensor. */
interface StoredTensor {
  name: string;
  storage: string;
  offset: number;
  dims: number[];
}

/**
 * Returns the tensors of a dictionary in a PyTorch checkpoint by name, as `torch.save` wrote it before version 1.6:
 * pickles followed by the storages. Float32 in row-major order only; nothing of the pickles is executed.
 * @throws AditError when the bytes are no such file, or truncated, or hold other tensors.
 */
export function checkpointTensors(file: Buffer, dictionary: string): Map<string, ConstantTensor> {
  let at = 0;
  const next = (): Pickled => {
    const { value, end } = readPickle(file, at);
    at = end;
    return value;
  };
  if (next() !== MAGIC || next() !== PROTOCOL) throw conversionError('the file is no checkpoint of PyTorch');
  // Skips the sizes of the machine's types.
  next();
  const whole = next();
  const parameters = whole instanceof Map ? whole.get(dictionary) : undefined;
  if (!(parameters instanceof Map)) throw conversionError(`the checkpoint has no ${dictionary}`);
  const stored = [...parameters].map(([name, value]) => storedTensor(String(name), value));
  const keys = next();
  const storages = readStorages(file, keys, at);
  return new Map(
    stored.map(({ name, storage, offset, dims }): [string, ConstantTensor] => {
      const data = storages.get(storage)?.subarray(offset, offset + sizeOf(dims));
      if (data?.length !== sizeOf(dims)) throw conversionError(`${name} is longer than what is stored of it`);
      return [name, { type: 'float32', dims, data }];
    }),
  );
}

/** Reads the storages of the keys in sequence: int64 count, then that many floats; they fill the rest of the file. */
function readStorages(file: Buffer, keys: Pickled, from: number): Map<string, Float32Array> {
  if (!Array.isArray(keys)) throw conversionError('the checkpoint does not say what it stores');
  const storages = new Map<string, Float32Array>();
  let at = from;
  for (const key of keys) {
    const left = file.length - at - 8;
    const count = left < 0 ? -1 : Number(file.readBigInt64LE(at));
    if (count < 0 || 4 * count > left) throw conversionError('the checkpoint ends too soon');
    at += 8;
    // Copied, since a view needs a multiple of four as offset.
    storages.set(String(key), new Float32Array(Uint8Array.prototype.slice.call(file, at, at + 4 * count).buffer));
    at += 4 * count;
  }
  if (at !== file.length) throw conversionError(`the checkpoint has ${file.length - at} bytes too many`);
  return storages;
}

/** `_rebuild_tensor_v2(storage, offset, size, stride, …)`; a storage is `('storage', type, key, place, count, view)`. */
function storedTensor(name: string, value: Pickled): StoredTensor {
  if (value instanceof PickledCall && value.callee.name === REBUILD) {
    const [reference, offset, dims, strides] = value.args;
    const id = reference instanceof PickledReference ? reference.id : null;
    const [, type, key, , , view] = Array.isArray(id) ? id : [];
    const isWhole = type instanceof PickledGlobal && type.name === FLOATS && view === null;
    if (isWhole && typeof key === 'string' && isCount(offset) && areCounts(dims) && areCounts(strides)) {
      const inOrder = dims.every((_, axis) => strides[axis] === sizeOf(dims.slice(axis + 1)));
      if (inOrder) return { name, storage: key, offset, dims };
    }
  }
  throw conversionError(`${name} is no tensor of float32 in row-major order`);
}

function isCount(value: Pickled | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function areCounts(value: Pickled | undefined): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}
