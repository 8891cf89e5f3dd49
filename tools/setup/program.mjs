// Hands the terminal over to another Node program.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './places.mjs';

/** Paths on the command line are relative to where the person stands, which npm hides. */
const standpoint = process.env.INIT_CWD ?? process.cwd();

/** Answers the program's exit code; 128 + signal when a signal ended it. `node`: what it runs on. */
export async function runProgram(
  nodeArgs,
  environment,
  { cwd = standpoint, stdio = 'inherit', node = process.execPath } = {},
) {
  const child = spawn(node, nodeArgs, { stdio, env: environment, cwd });
  // A terminal sends Ctrl-C to the whole group, so the child has it already; anything else has to be passed on.
  const forward = (signal) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve(code ?? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1)),
      );
    });
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** The script behind a dependency's command, as its package.json names it. */
export function binOf(packageName, command = packageName) {
  const folder = join(repositoryRoot, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}
