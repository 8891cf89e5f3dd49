// Format, lint rules, casts, types: each runs to its end even when another has failed, so that one run tells everything.
import { join } from 'node:path';
import { binOf, runProgram } from './program.mjs';
import { repositoryRoot } from './places.mjs';

const CHECKS = {
  format: ['oxfmt', '--check'],
  rules: ['oxlint', '--config=oxlint.config.mjs', '--deny-warnings'],
  casts: ['tools/lint/check-casts.mjs'],
  types: ['typescript-7', '--noEmit', '-p', 'tsconfig.json'],
  // Pages run in browsers, with other globals.
  'console-types': ['typescript-7', '--noEmit', '-p', 'apps/console/tsconfig.json'],
};

/** Runs the named checks, or all of them, side by side: each has one core. Returns 1 when one failed, 2 when there is none of that name. */
export async function runLint(names, environment) {
  const wanted = names.length > 0 ? names : Object.keys(CHECKS);
  const unknown = wanted.find((name) => CHECKS[name] === undefined);
  if (unknown !== undefined) {
    console.error(`Unknown check "${unknown}". Known: ${Object.keys(CHECKS).join(', ')}.`);
    return 2;
  }
  const codes = await Promise.all(wanted.map((name) => check(name, environment)));
  return codes.every((code) => code === 0) ? 0 : 1;
}

async function check(name, environment) {
  const [tool, ...args] = CHECKS[name];
  const started = performance.now();
  const bin = tool.endsWith('.mjs') ? join(repositoryRoot, tool) : binOf(tool, tool === 'typescript-7' ? 'tsc' : tool);
  const code = await runProgram([bin, ...args], environment, { cwd: repositoryRoot });
  console.error(`${code === 0 ? '✓' : '✗'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return code;
}
