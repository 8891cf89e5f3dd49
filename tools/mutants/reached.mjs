// Loaded by the sources that tell what is reached, in each process and thread: writes down every mutant once.
import { appendFileSync } from 'node:fs';

const file = process.env.ADIT_MUTANTS_REACHED;

/**
 * Stryker's instrumenter counts in an object, at every step of every loop. The first time the object has no such property, and
 * asks its prototype; from then on it is as fast as any.
 */
const counts = Object.create(
  new Proxy(Object.prototype, {
    set(_prototype, id, value, counts) {
      appendFileSync(file, `${id}\n`);
      return Reflect.defineProperty(counts, id, { value, writable: true, enumerable: true, configurable: true });
    },
  }),
);
// Code that a suite runs outside its tests counts too.
(globalThis.__stryker__ ??= {}).mutantCoverage = { static: counts, perTest: {} };
