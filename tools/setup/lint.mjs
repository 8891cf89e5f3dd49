// Format, lint rules, types: each runs even when the one before has failed, so that one run tells everything.
import { binOf, runProgram } from './program.mjs';
import { repositoryRoot } from './places.mjs';

const CHECKS = {
  format: ['prettier', '--check', '--log-level=warn', '.'],
  eslint: ['eslint', '--max-warnings=0', '.'],
  types: ['typescript', '--noEmit', '-p', 'tsconfig.json'],
};

/** Runs the named checks, or all of them. Answers 1 when one failed. */
export async function runLint(names, environment) {
  let failed = 0;
  for (const name of names.length > 0 ? names : Object.keys(CHECKS)) {
    const [tool, ...args] = CHECKS[name] ?? [];
    if (tool === undefined) {
      console.error(`Unknown check "${name}". Known: ${Object.keys(CHECKS).join(', ')}.`);
      return 2;
    }
    const started = performance.now();
    const code = await runProgram([binOf(tool, tool === 'typescript' ? 'tsc' : tool), ...args], environment, {
      cwd: repositoryRoot,
    });
    if (code !== 0) failed += 1;
    console.error(`${code === 0 ? '✓' : '✗'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  return failed === 0 ? 0 : 1;
}
