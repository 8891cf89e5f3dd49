import { jest } from '@jest/globals';

/**
 * For the tests and hooks of a spec that imports this: engines and services take what the machine gives them, so only
 * what hangs meets the limit.
 */
jest.setTimeout(1_200_000);
