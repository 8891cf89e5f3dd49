import { availableParallelism } from 'node:os';
import { AditError } from '@adit/contracts';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import { startChild } from './launcher.js';
import type { ChildLimits } from './limits.js';

export interface ChildRun {
  program: string;
  args: readonly string[];
  /** Activity that begins an error's sentence: "Probing". */
  doing: string;
  /** Wall time in seconds; CPU time is limited to that much per core. */
  timeoutSeconds: number;
  limits?: Omit<ChildLimits, 'cpuSeconds'>;
  signal?: AbortSignal;
  /**
   * Receives standard output piece by piece; an exception ends the child and is rethrown. Without it output is
   * discarded.
   */
  onOutput?: (chunk: Buffer) => void;
  /** Permits network access, or outgoing TCP connections to one port alone, as far as this machine can tell them apart. */
  network?: boolean | { port: number };
  /** Puts it into a process group, because it starts programs that have to end with it. */
  family?: boolean;
  /** Names of variables to pass on, beside the few that every child gets. */
  environment?: readonly string[];
  /** Further variables with their values, which other users of the machine do not see, unlike `args`. */
  variables?: Readonly<Record<string, string>>;
}

interface ChildEnd {
  /** Null when a signal ended it; 126 or 127, as in a shell, when it did not start. */
  code: number | null;
  killedBy: NodeJS.Signals | null;
  /** End of its error text. */
  stderr: string;
}

/** Error texts contain parts of the film; this much is enough for the reason. */
const STDERR_BYTES = 8192;

/**
 * Runs a program over client media; no other function does. The child is confined as far as the machine can, has an
 * almost empty environment, and is stopped on timeout. Throws LIMIT_EXCEEDED on timeout, and the signal's reason on
 * abort.
 */
export async function runChild(run: ChildRun): Promise<ChildEnd> {
  const { signal, timeoutSeconds, onOutput } = run;
  // A process group is killed as one, where groups exist. Other children receive the terminal's signals as this process
  // does.
  const group = run.family === true && process.platform !== 'win32';
  const limits = { ...run.limits, cpuSeconds: timeoutSeconds * availableParallelism() };
  const [first, ...words] = await confined(run.program, limits, { network: run.network });
  signal?.throwIfAborted();
  let stderr = '';
  const state: { stopped: { reason: unknown } | null } = { stopped: null };
  const take = (piece: Buffer): void => {
    if (state.stopped !== null) return;
    try {
      onOutput?.(piece);
    } catch (error) {
      stop(error);
    }
  };
  const child = startChild({
    words: [first, ...words, ...run.args],
    env: { ...childEnvironment(run.environment), ...run.variables },
    group,
    onOutput: onOutput && take,
    onErrorText: (piece) => (stderr = (stderr + piece.toString('utf8')).slice(-STDERR_BYTES)),
  });
  const stop = (reason: unknown): void => {
    state.stopped ??= { reason };
    child.stop();
  };
  const abort = (): void => stop(signal?.reason);
  const timer = setTimeout(
    () => stop(new AditError('LIMIT_EXCEEDED', `${run.doing} took longer than ${timeoutSeconds} s.`)),
    timeoutSeconds * 1000,
  );
  signal?.addEventListener('abort', abort, { once: true });
  const end = await child.ended
    .catch((error: unknown) => ({ error }))
    .finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      // Its own children may outlive it.
      if (group) child.stop();
    });
  if (state.stopped !== null) throw state.stopped.reason;
  if ('error' in end) throw end.error;
  if ('neverStarted' in end) return { code: 127, killedBy: null, stderr: end.neverStarted };
  return { ...end, stderr };
}

/** Runs a program without client input and returns its output. Throws as `runChild`, and INTERNAL when it fails. */
export async function childText(program: string, args: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  const onOutput = (chunk: Buffer): void => void pieces.push(chunk);
  const { code, stderr } = await runChild({ program, args, doing: program, timeoutSeconds: 60, onOutput });
  if (code !== 0) throw new AditError('INTERNAL', `${program} failed: ${stderr.trim().slice(-300)}`);
  return Buffer.concat(pieces).toString('utf8');
}
