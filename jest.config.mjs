import { availableParallelism } from 'node:os';
import { asPattern, longSpecs } from './tools/testing/needs.mjs';
import { workspaceSources } from './tools/testing/workspace-sources.mjs';

/**
 * Engines and servers run beside the workers, so many cores are not for jest alone. Of few cores there is one more worker
 * than cores, since end-to-end suites wait a good deal.
 */
const MAX_WORKERS = 4;

const rootDir = import.meta.dirname;

/** Which suites that need time run: 'only' these, or 'none'; by default all that are named. */
const long = process.env.ADIT_TEST_LONG;

/** One configuration for the whole repository; `jest <folder>` runs one package. How specs run: tools/testing. */
export default {
  rootDir,
  runtime: '<rootDir>/tools/testing/runtime.cjs',
  testRunner: '<rootDir>/tools/testing/suite.cjs',
  testEnvironment: '<rootDir>/tools/testing/environment.cjs',
  testSequencer: '<rootDir>/tools/testing/order.mjs',
  // The second writes down what the last line of `npm test` and the table of times need.
  reporters: ['default', '<rootDir>/tools/testing/summary.mjs'],
  // Node loads specs itself; of jest's own transforms none is left.
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { ...workspaceSources(rootDir), '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Watching begins with a watcher for each folder: packages have thousands, and nothing in them changes.
  roots: ['apps', 'libs', 'models', 'tools'].map((folder) => `<rootDir>/${folder}`),
  testMatch: long === 'only' ? longSpecs(rootDir) : ['**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/', '/node_modules/'],
  testPathIgnorePatterns: [
    ...['/node_modules/', '/dist/'],
    ...(long === 'none' ? longSpecs(rootDir).map((path) => asPattern(rootDir, path)) : []),
  ],
  maxWorkers: Math.min(availableParallelism() + 1, MAX_WORKERS),
  // Leaks of suites add up in a worker. Only JavaScript's heap counts.
  workerIdleMemoryLimit: '700MB',
  // Nothing fails because a machine is slow or has much to do: only what hangs meets the limit.
  testTimeout: 1_200_000,
};
