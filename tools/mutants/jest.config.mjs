import { join } from 'node:path';
import base from '../../jest.config.mjs';

// A limit of memory would have jest start a worker, which no mutant is worth.
const { workerIdleMemoryLimit: _limit, ...rest } = base;

/** One process runs the suites that are meant to notice one mutant, until the first fails. */
export default {
  ...rest,
  testEnvironment: '<rootDir>/tools/mutants/environment.cjs',
  testSequencer: '<rootDir>/tools/mutants/as-given.mjs',
  // Each process has a folder for temporary files of its own, which is where jest would keep it.
  cacheDirectory: join(base.rootDir, 'node_modules/.cache/adit/mutants/jest'),
  reporters: ['default'],
};
