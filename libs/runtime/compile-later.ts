import { setFlagsFromString } from 'node:v8';

/**
 * V8 compiles again, and well, whatever runs for a moment: PostgreSQL's WebAssembly and our own code. A process whose engine
 * lives for seconds runs a little of everything once, and pays more for that than for its work (3 of 8 s of CPU). These are
 * twenty to a hundred times the usual patience; what is really busy, as in a film, still gets there in its first seconds.
 */
export const SHORT_LIVED_FLAGS = ['--wasm-tiering-budget=180000000', '--interrupt-budget=1320000'];

/** The same for a process that has begun, before it loads what it runs. */
export function compileLater(): void {
  for (const flag of SHORT_LIVED_FLAGS) setFlagsFromString(flag);
}
