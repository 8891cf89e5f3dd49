import { fork, type ChildProcess } from 'node:child_process';
import { createLogger } from '@adit/runtime';

const log = createLogger('supervisor');

/**
 * For the process that has the embedded PostgreSQL. V8 compiles again, and well, whatever WebAssembly runs for a moment; at
 * a start, which runs a little of everything once, that is a second of CPU for nothing. This is ten times its patience, and
 * what is really busy still gets there.
 */
export const ENGINE_FLAGS = ['--wasm-tiering-budget=18000000'];

/** What the engine sends its supervisor once it serves. */
export const SERVES = 'serves';

export interface SupervisorOptions {
  /** Module that runs the engine in the child process. It sends `SERVES` when it does. */
  entry: string;
  args: string[];
  /** Restarts within `windowSeconds` after which it gives up: the engine cannot even start. */
  maxRestarts?: number;
  windowSeconds?: number;
}

/**
 * Runs the engine in a child process and starts it again when native code or an exception that nobody caught ends it;
 * the work that was running is dispatched again and counted, so poison ends after its tries. Passes on the signals that
 * ask for an orderly end.
 *
 * @returns the exit code for this process.
 */
export function supervise({ entry, args, maxRestarts = 20, windowSeconds = 60 }: SupervisorOptions): Promise<number> {
  return new Promise((resolve) => {
    const restarts: number[] = [];
    let ending = false;
    let served = false;
    let child: ChildProcess;
    const end = (signal: NodeJS.Signals): void => {
      ending = true;
      child.kill(signal);
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    const start = (): void => {
      // A group of its own: Ctrl-C in a terminal reaches the supervisor alone, which passes it on once.
      // glibc otherwise gives every native thread an arena of its own, which frees nothing: 1.2 GiB instead of 0.8.
      const env = { MALLOC_ARENA_MAX: '2', ...process.env };
      const execArgv = [...process.execArgv, ...ENGINE_FLAGS];
      child = fork(entry, args, { stdio: 'inherit', detached: true, env, execArgv });
      child.on('message', (message) => (served ||= message === SERVES));
      child.on('exit', (code, signal) => {
        // An engine that cannot start says why; one that served in any of its lives can.
        const died = signal !== null || (code !== 0 && served);
        if (ending || !died) return resolve(code ?? 1);
        const now = Date.now();
        restarts.push(now);
        const recent = restarts.filter((at) => now - at < windowSeconds * 1000).length;
        if (recent > maxRestarts) {
          log.fatal({ signal, code, recent }, 'the engine dies again and again; giving up');
          return resolve(1);
        }
        log.error({ signal, code }, 'the engine died and is started again');
        setTimeout(start, Math.min(5000, 100 * 2 ** Math.min(recent - 1, 6)));
      });
    };
    start();
  });
}
