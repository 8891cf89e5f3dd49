import { fork, type ChildProcess } from 'node:child_process';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import type { ChildLimits } from './limits.js';

/**
 * Starts a program of Node's that stays and talks to this process by messages, copies of structures; confined as `runChild`
 * confines, and ended by the kernel with this process. It writes to nobody but in its error text.
 * @param environment variables it gets beside the few that every child gets
 */
export async function forkConfined(
  program: string,
  limits: Omit<ChildLimits, 'cpuSeconds'>,
  environment: readonly string[] = [],
): Promise<ChildProcess> {
  const [execPath, ...execArgv] = await confined(process.execPath, limits);
  return fork(program, [], {
    ...{ execPath, execArgv, serialization: 'advanced', env: childEnvironment(environment) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
