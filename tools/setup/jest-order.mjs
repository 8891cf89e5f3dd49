// The order of test files: end-to-end suites first. They take the longest and mostly wait, so one that came last would run
// alone while the other workers idle.
import sequencer from '@jest/test-sequencer';

const Sequencer = sequencer.default ?? sequencer;

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => (path.includes('.e2e.spec.') ? 0 : 1);
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
