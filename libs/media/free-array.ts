import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';

/** A port whose other end is closed: data transferred to it is freed immediately. */
const { port1: nowhere, port2: end } = new MessageChannel();
end.close();
nowhere.unref();

/**
 * Frees the memory of an array immediately; the array is empty afterwards. V8 counts the megabytes of pictures and
 * tensors against the heap, so that the garbage collector would otherwise collect the whole heap every few frames.
 * Shared memory and memory owned by native code stay untouched.
 */
export function freeArray(array: Uint8Array | Float32Array): void {
  const { buffer } = array;
  if (!types.isArrayBuffer(buffer) || array.byteLength !== buffer.byteLength) return;
  try {
    nowhere.postMessage(null, [buffer]);
  } catch {
    // The array is not transferable; the garbage collector frees it.
  }
}
