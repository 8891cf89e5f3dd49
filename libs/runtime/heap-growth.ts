import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap of a process that analyses pictures grow to double before it is collected. By default V8 allows a fifth
 * or a half more, and counts passing pictures and tensors besides, so it would mark the whole heap several times a
 * second.
 */
export function allowHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
