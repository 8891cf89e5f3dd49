import { fork, type ChildProcess, type StdioOptions } from 'node:child_process';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import type { ChildLimits } from './limits.js';

interface ForkOptions {
  /** Names of variables to pass on, beside the few that every child gets. */
  environment?: readonly string[];
  /** Descriptor of an open file that the child inherits, as the one that its first argument names. */
  file?: number | undefined;
  /** Reads its standard output. Default false. */
  output?: boolean;
  /** Permits it to write files. */
  writes?: boolean;
}

/**
 * Starts a long-running Node program that communicates by structured-clone messages, confined as by `runChild` and
 * killed by the kernel with this process. Unless it `writes`, it writes only its error text, its `output` and `file`.
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
