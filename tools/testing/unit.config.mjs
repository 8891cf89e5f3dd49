import { relative } from 'node:path';
import base from '../../jest.config.mjs';
import { specsWithNeeds } from './needs.mjs';

const { rootDir } = base;
const asPattern = (path) => `^<rootDir>/${relative(rootDir, path).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;

/** For `npm run test:unit`: the suites that need nothing but the packages. */
export default {
  ...base,
  reporters: ['default'],
  testSequencer: '<rootDir>/tools/testing/nearest-first.mjs',
  testPathIgnorePatterns: [...base.testPathIgnorePatterns, ...specsWithNeeds(rootDir).map(asPattern)],
};
