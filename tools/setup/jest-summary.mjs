// A jest reporter that writes down the few numbers the last line of `npm test` needs. Jest's own --json cannot: it
// breaks on errors that hold themselves.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  constructor(_globalConfig, options) {
    this.file = options.file ?? process.env.ADIT_TEST_SUMMARY;
  }

  onRunComplete(_contexts, results) {
    if (this.file === undefined) return;
    const skipped = results.testResults.flatMap((suite) => {
      const tests = suite.testResults.filter(({ status }) => status === 'pending' || status === 'todo');
      const reasons = [...new Set(tests.map((test) => test.ancestorTitles[0] ?? test.title))];
      return tests.length > 0 ? [{ file: suite.testFilePath, tests: tests.length, reasons }] : [];
    });
    const summary = {
      passed: results.numPassedTests,
      // A suite that could not even start has no tests to count, and must not look like success.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      skippedSuites: skipped,
    };
    writeFileSync(this.file, JSON.stringify(summary));
  }
}
