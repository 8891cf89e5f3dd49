import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { AditError } from '@adit/contracts';
import { confined } from './confinement.js';
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
/** How to find programs and libraries, and what makes glibc frugal; never a secret. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'MALLOC_ARENA_MAX'];

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
  return new Promise<ChildEnd>((resolve, reject) => {
    const child = spawn(first, [...words, ...run.args], {
      stdio: ['ignore', onOutput === undefined ? 'ignore' : 'pipe', 'pipe'],
      env: environment(run.environment),
      windowsHide: true,
      detached: group,
    });
    let stopped: { reason: unknown } | null = null;
    let stderr = '';
    const stop = (reason: unknown): void => {
      stopped ??= { reason };
      if (group) killGroup(child.pid);
      else child.kill('SIGKILL');
    };
    const abort = (): void => stop(signal?.reason);
    const timer = setTimeout(
      () => stop(new AditError('LIMIT_EXCEEDED', `${run.doing} took longer than ${timeoutSeconds} s.`)),
      timeoutSeconds * 1000,
    );
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (stopped !== null) return;
      try {
        onOutput?.(chunk);
      } catch (error) {
        stop(error);
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_BYTES);
    });
    let neverStarted: Error | null = null;
    child.on('error', (error) => (neverStarted = error));
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (stopped !== null) reject(stopped.reason);
      else if (neverStarted !== null) resolve({ code: 127, killedBy: null, stderr: neverStarted.message });
      else resolve({ code, killedBy, stderr });
    });
  });
}

/** They may outlive the one that started them, and keep its pipes open. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** Runs a program over nothing of a client's and answers what it prints. Throws as `runChild`, and INTERNAL when it fails. */
export async function childText(program: string, args: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  const onOutput = (chunk: Buffer): void => void pieces.push(chunk);
  const { code, stderr } = await runChild({ program, args, doing: program, timeoutSeconds: 60, onOutput });
  if (code !== 0) throw new AditError('INTERNAL', `${program} fails: ${stderr.trim().slice(-300)}`);
  return Buffer.concat(pieces).toString('utf8');
}

function environment(more: readonly string[] = []): NodeJS.ProcessEnv {
  // Their messages are read here.
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of [...ENVIRONMENT, ...more]) if (process.env[name] !== undefined) env[name] = process.env[name];
  return env;
}
