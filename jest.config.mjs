import { availableParallelism } from 'node:os';
import { bundled, fileOf } from './libs/vendor/packages.mjs';

/**
 * Engines and servers run beside the workers, so many cores are not for jest alone. Of few cores there is one more worker
 * than cores, since end-to-end suites wait a good deal.
 */
const MOST_WORKERS = 4;

/** Bundles are ES modules, which Jest cannot give to a package that requires this one: testcontainers does. */
const REQUIRED = ['undici'];

/** After a build, as in `npm test`, every suite loads the packages as the services do: as few files. */
const vendor = Object.fromEntries(
  process.env.ADIT_TEST_BUILT === undefined
    ? []
    : bundled
        .filter((name) => !REQUIRED.includes(name))
        .map((name) => [`^${name}$`, `<rootDir>/libs/vendor/dist/${fileOf(name)}`]),
);

/** One configuration for the whole repository; `jest <folder>` runs one package. */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  // Workspace packages resolve to their TypeScript source, never to a stale build. Jest adds `import` or `require` itself.
  testEnvironmentOptions: { customExportConditions: ['@adit/source', 'node'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { ...vendor, '^(\\.{1,2}/.*)\\.js$': '$1' },
  testMatch: ['<rootDir>/{apps,libs,models,tools}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  // The second writes the numbers for the last line of `npm test`, when asked to.
  reporters: ['default', '<rootDir>/tools/setup/jest-summary.mjs'],
  testSequencer: '<rootDir>/tools/setup/jest-order.mjs',
  maxWorkers: Math.min(availableParallelism() + 1, MOST_WORKERS),
  // Nothing fails because a machine is slow or has much to do.
  testTimeout: 300_000,
};
