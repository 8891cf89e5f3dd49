import base from '../../jest.config.mjs';
import { asPattern, specsWithNeeds } from './needs.mjs';

const { rootDir } = base;

/** For `npm run test:unit`: the suites that need nothing but the packages. */
export default {
  ...base,
  reporters: ['default'],
  testSequencer: '<rootDir>/tools/testing/nearest-first.mjs',
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    ...specsWithNeeds(rootDir).map((path) => asPattern(rootDir, path)),
  ],
};
