import { setFlagsFromString } from 'node:v8';

/**
 * V8 compiles again, and well, whatever runs for a moment: PostgreSQL's WebAssembly and our own code. A command whose engine
 * lives for seconds runs a little of everything once, and pays more for that than for its work (3 of 8 s of CPU). These are
 * twenty to a hundred times the usual patience; what is really busy, as in a film, still gets there in its first seconds.
 */
export function compileLater(): void {
  setFlagsFromString('--wasm-tiering-budget=180000000');
  setFlagsFromString('--interrupt-budget=1320000');
}
