import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@adit/runtime';

const log = createLogger('supervisor');

/**
 * For the process that has the embedded PostgreSQL. V8 compiles again, and well, whatever WebAssembly runs for a moment; at
 * a start, which runs a little of everything once, that is a second of CPU for nothing. This is ten times its patience, and
 * what is really busy still gets there.
 */
export const ENGINE_FLAGS = ['--wasm-tiering-budget=18000000'];

/** The engine's message to its supervisor once it serves. */
export const SERVES = 'serves';

/** Milliseconds between an end and the next start: the first, which doubles each time, and the most. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Ends so long ago make no pause longer. */
const RECENT_MS = 60_000;

interface SupervisorOptions {
  /** Module that runs the engine in the child process. It sends `SERVES` when it does. */
  entry: string;
  args: string[];
  /** Lives in a row that may end before they served; after one more it gives up: the engine cannot even start. */
  maxFalseStarts?: number;
  /** Before the first restart, in milliseconds. */
  firstPauseMs?: number;
}

/**
 * Runs the engine in a child process and starts it again when native code or an exception that nobody caught ends it;
 * the work that was running is dispatched again and counted, so poison ends after its tries. Passes on the signals that
 * ask for an orderly end; between two lives, they end it at once.
 *
 * @returns the exit code for this process.
 */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const supervisor = new Supervisor(options);
  const end = (signal: NodeJS.Signals): void => supervisor.end(signal);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  try {
    return await supervisor.run();
  } finally {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
  }
}

class Supervisor {
  private child: ChildProcess | null = null;
  private readonly stopped = new AbortController();
  /** It did in one of its lives. */
  private served = false;

  constructor(private readonly options: SupervisorOptions) {}

  end(signal: NodeJS.Signals): void {
    this.stopped.abort();
    this.child?.kill(signal);
  }

  private isEnding(): boolean {
    return this.stopped.signal.aborted;
  }

  async run(): Promise<number> {
    const { maxFalseStarts = 10, firstPauseMs = FIRST_PAUSE_MS } = this.options;
    let ends: number[] = [];
    let falseStarts = 0;
    for (;;) {
      const { code, signal, served } = await this.live();
      // An engine that cannot start says why; one that served in any of its lives can.
      const died = signal !== null || (code !== 0 && this.served);
      if (this.isEnding() || !died) return code ?? 1;
      falseStarts = served ? 0 : falseStarts + 1;
      if (falseStarts > maxFalseStarts) {
        log.fatal({ signal, code, falseStarts }, 'the engine dies again and again before it serves; giving up');
        return 1;
      }
      log.error({ signal, code }, 'the engine died and is started again');
      const now = Date.now();
      ends = [...ends.filter((at) => now - at < RECENT_MS), now];
      const pause = Math.min(MAX_PAUSE_MS, firstPauseMs * 2 ** (ends.length - 1));
      await sleep(pause, undefined, { signal: this.stopped.signal }).catch(() => undefined);
      // Nothing runs that would have to end.
      if (this.isEnding()) return 0;
    }
  }

  /** From the start of a process to its end. */
  private live(): Promise<{ code: number | null; signal: NodeJS.Signals | null; served: boolean }> {
    const { entry, args } = this.options;
    // A group of its own: Ctrl-C in a terminal reaches the supervisor alone, which passes it on once.
    // glibc otherwise gives every native thread an arena of its own, which frees nothing: 1.2 GiB instead of 0.8.
    const env = { MALLOC_ARENA_MAX: '2', ...process.env };
    const execArgv = [...process.execArgv, ...ENGINE_FLAGS];
    const child = fork(entry, args, { stdio: 'inherit', detached: true, env, execArgv });
    this.child = child;
    let served = false;
    child.on('message', (message) => {
      if (message === SERVES) served = this.served = true;
    });
    return new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.child = null;
        resolve({ code, signal, served });
      });
    });
  }
}
