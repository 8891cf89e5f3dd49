import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Bytes of buffers that somebody holds in this process: what only waits for the garbage collector is collected before. */
export function heldBuffers(): number {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  // V8 frees buffers on another thread, which on a busy machine comes to it late; the next collection waits for it.
  collect();
  return process.memoryUsage().arrayBuffers;
}
