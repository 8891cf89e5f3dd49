// The whole repository's tests through jest, and a last line that says how they went.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { binOf, runProgram } from './program.mjs';
import { repositoryRoot } from './places.mjs';

/** Runs jest with `args` passed on; answers its exit code. */
export async function runTests(args, environment) {
  const scratch = mkdtempSync(join(tmpdir(), 'adit-test-'));
  const summary = join(scratch, 'summary.json');
  try {
    const code = await runProgram(
      ['--experimental-vm-modules', '--no-warnings', binOf('jest'), ...args],
      { ...environment, ADIT_TEST_SUMMARY: summary },
      repositoryRoot,
    );
    return report(code, summary);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function report(code, file) {
  let summary;
  try {
    summary = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Jest ended before it could count: a wrong argument, or a crash.
    console.log('0 passed, 1 failed, 0 skipped');
    return code || 1;
  }
  const { passed, failed, skipped, skippedSuites } = summary;
  for (const suite of skippedSuites) {
    // A suite that skips says why in its title, e.g. "kafka (skipped: no server at 127.0.0.1:9092)".
    console.log(`SKIPPED ${suite.tests} of ${relative(repositoryRoot, suite.file)}: ${suite.reasons.join('; ')}`);
  }
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? code || 1 : code;
}
