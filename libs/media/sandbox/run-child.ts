import { availableParallelism } from 'node:os';
import { AditError } from '@adit/contracts';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import { startChild } from './launcher.js';
import type { ChildLimits } from './limits.js';

export interface ChildRun {
  program: string;
  args: readonly string[];
  /** What it does, at the beginning of a sentence: "Probing". */
  doing: string;
  /** Wall time in seconds; its CPU time is limited to that much on every core. */
  timeoutSeconds: number;
  limits?: Omit<ChildLimits, 'cpuSeconds'>;
  signal?: AbortSignal;
  /** Standard output, piece by piece; what it throws ends the child and is thrown. Without it output is thrown away. */
  onOutput?: (chunk: Buffer) => void;
  /** Whether it needs the network. */
  network?: boolean;
  /** Whether it starts programs of its own, which have to end with it. */
  family?: boolean;
  /** Variables it gets beside the few that every child gets. */
  environment?: readonly string[];
}

interface ChildEnd {
  /** Null when a signal ended it; 126 or 127, as of a shell, when it did not start. */
  code: number | null;
  killedBy: NodeJS.Signals | null;
  /** The end of its error text. */
  stderr: string;
}

/** Errors carry parts of the film; this much says why. */
const STDERR_BYTES = 8192;

/**
 * Runs a program over client media, the only way in which Adit does: confined as far as the machine can, with an empty
 * environment, and not past its time. Throws LIMIT_EXCEEDED past it, and the signal's reason on abort.
 */
export async function runChild(run: ChildRun): Promise<ChildEnd> {
  const { signal, timeoutSeconds, onOutput } = run;
  // A group of its own, where there are groups, is killed as one. All others get the terminal's signals as we do.
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
    env: childEnvironment(run.environment),
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
      // What it started may outlive it.
      if (group) child.stop();
    });
  if (state.stopped !== null) throw state.stopped.reason;
  if ('error' in end) throw end.error;
  if ('neverStarted' in end) return { code: 127, killedBy: null, stderr: end.neverStarted };
  return { ...end, stderr };
}

/** Runs a program over nothing of a client's and answers what it prints. Throws as `runChild`, and INTERNAL when it fails. */
export async function childText(program: string, args: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  const onOutput = (chunk: Buffer): void => void pieces.push(chunk);
  const { code, stderr } = await runChild({ program, args, doing: program, timeoutSeconds: 60, onOutput });
  if (code !== 0) throw new AditError('INTERNAL', `${program} fails: ${stderr.trim().slice(-300)}`);
  return Buffer.concat(pieces).toString('utf8');
}
