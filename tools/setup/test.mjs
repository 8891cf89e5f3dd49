// The whole repository's tests through jest, and a last line that says how they went.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { binOf, runProgram } from './program.mjs';
import { repositoryRoot } from './places.mjs';

/** Runs jest with `args` passed on; answers its exit code. */
export async function runTests(args, environment) {
  const scratch = mkdtempSync(join(tmpdir(), 'adit-test-'));
  const outputFile = join(scratch, 'results.json');
  try {
    const code = await runProgram(
      ['--experimental-vm-modules', '--no-warnings', binOf('jest'), '--json', `--outputFile=${outputFile}`, ...args],
      environment,
      repositoryRoot,
      // With --json jest repeats the results on stdout; people read the reporter's lines on stderr.
      ['inherit', 'ignore', 'inherit'],
    );
    return report(code, outputFile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function report(code, outputFile) {
  let results;
  try {
    results = JSON.parse(readFileSync(outputFile, 'utf8'));
  } catch {
    console.log('0 passed, 1 failed, 0 skipped');
    return code || 1;
  }
  for (const suite of results.testResults) {
    const skipped = suite.assertionResults.filter((test) => test.status === 'pending' || test.status === 'todo');
    if (skipped.length === 0) continue;
    // A suite that skips says why in its title, e.g. "kafka (skipped: no server at 127.0.0.1:9092)".
    const reasons = new Set(skipped.map((test) => test.ancestorTitles[0] ?? test.title));
    console.log(`SKIPPED ${skipped.length} of ${relative(repositoryRoot, suite.name)}: ${[...reasons].join('; ')}`);
  }
  // A suite that could not even start has no tests to count, and must not look like success.
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  console.log(
    `${results.numPassedTests} passed, ${failed} failed, ${results.numPendingTests + results.numTodoTests} skipped`,
  );
  return failed > 0 ? code || 1 : code;
}
