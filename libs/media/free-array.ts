import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';

/** A port whose other end is closed: what is transferred to it is freed there and then. */
const { port1: nowhere, port2: end } = new MessageChannel();
end.close();
nowhere.unref();

/**
 * Gives the memory of an array back at once; the array is empty afterwards. V8 counts the megabytes of pictures and
 * tensors against the heap, so leaving them to the garbage collector makes it collect the whole heap every few frames.
 * Memory that is shared, or that native code owns, is left alone.
 */
export function freeArray(array: Uint8Array | Float32Array): void {
  const { buffer } = array;
  if (!types.isArrayBuffer(buffer) || array.byteLength !== buffer.byteLength) return;
  try {
    nowhere.postMessage(null, [buffer]);
  } catch {
    // Not transferable: the garbage collector's in the end.
  }
}
