import sequencer from '@jest/test-sequencer';

/** Suites in the order of the command line. */
export default class AsGiven extends (sequencer.default ?? sequencer) {
  sort(tests) {
    return [...tests];
  }
}
