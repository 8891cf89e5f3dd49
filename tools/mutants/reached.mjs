// Loaded by the sources that tell what is reached, in each process and thread: writes down every mutant once.
import { appendFileSync } from 'node:fs';

const file = process.env.ADIT_MUTANTS_REACHED;
const reached = new Set();
// As Stryker's instrumenter counts. What a suite reaches outside its tests counts like the rest.
const counts = new Proxy(Object.create(null), {
  set(_counts, id) {
    if (!reached.has(id)) appendFileSync(file, `${id}\n`);
    reached.add(id);
    return true;
  },
});
(globalThis.__stryker__ ??= {}).mutantCoverage = { static: counts, perTest: {} };
