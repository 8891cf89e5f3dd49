// A jest reporter that writes down what the last line of `npm test` and the table of times need. Jest's own --json cannot:
// it breaks on errors that hold themselves.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class SummaryReporter {
  constructor(globalConfig, options) {
    this.root = globalConfig.rootDir;
    this.file = options.file ?? process.env.ADIT_TEST_SUMMARY;
  }

  onRunComplete(_contexts, results) {
    if (this.file === undefined) return;
    const skipped = results.testResults.flatMap((suite) => {
      const tests = suite.testResults.filter(({ status }) => status === 'pending' || status === 'todo');
      const reasons = [...new Set(tests.map((test) => test.ancestorTitles[0] ?? test.title))];
      return tests.length > 0 ? [{ file: suite.testFilePath, tests: tests.length, reasons }] : [];
    });
    const suites = results.testResults.map(({ testFilePath, perfStats, testResults }) => ({
      file: relative(this.root, testFilePath),
      startedAt: perfStats.start,
      seconds: (perfStats.end - perfStats.start) / 1000,
      cpuSeconds: perfStats.cpu ?? 0,
      costs: perfStats.costs ?? {},
      tests: testResults.map(({ fullName, status, duration }) => ({ title: fullName, status, ms: duration ?? 0 })),
    }));
    const summary = {
      passed: results.numPassedTests,
      // A suite that could not even start has no tests to count, and must not look like success.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      skippedSuites: skipped,
      suites,
    };
    writeFileSync(this.file, JSON.stringify(summary));
  }
}
