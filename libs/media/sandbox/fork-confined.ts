import { fork, type ChildProcess, type StdioOptions } from 'node:child_process';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import type { ChildLimits } from './limits.js';

interface ForkOptions {
  /** Variables it gets beside the few that every child gets. */
  environment?: readonly string[];
  /** A descriptor of an open file that it has too, as the one that its first argument names. */
  file?: number | undefined;
  /** Whether its standard output is read. Default false. */
  output?: boolean;
  /** Whether it writes files of its own. */
  writes?: boolean;
}

/**
 * Starts a program of Node's that stays and talks to this process by messages, copies of structures; confined as `runChild`
 * confines, and ended by the kernel with this process. Unless it `writes` it does so to nobody but in its error text, its `output`,
 * and to `file`.
 */
export async function forkConfined(
  program: string,
  limits: Omit<ChildLimits, 'cpuSeconds'>,
  { environment = [], file, output = false, writes = false }: ForkOptions = {},
): Promise<ChildProcess> {
  const [execPath, ...execArgv] = await confined(process.execPath, limits, { writes });
  const stdio: StdioOptions = ['ignore', output ? 'pipe' : 'ignore', 'pipe', 'ipc'];
  return fork(program, file === undefined ? [] : [String(stdio.length)], {
    ...{ execPath, execArgv, serialization: 'advanced', env: childEnvironment(environment) },
    stdio: file === undefined ? stdio : [...stdio, file],
  });
}
