import base from '../../jest.config.mjs';

/** For `npm run servers -- --check`: the conformance suites on servers that the environment names. */
export default { ...base, testMatch: ['**/*.check.ts'], maxWorkers: 1 };
