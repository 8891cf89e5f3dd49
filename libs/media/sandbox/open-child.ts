import { spawn, type ChildProcess } from 'node:child_process';
import { AditError } from '@adit/contracts';
import { Readable, type Writable } from 'node:stream';
import { childEnvironment } from './child-environment.js';
import { confined } from './confinement.js';
import type { ChildLimits } from './limits.js';

export interface ChildOpening {
  program: string;
  args: readonly string[];
  /** Without `cpuSeconds`: a stream may go on for days. */
  limits?: Omit<ChildLimits, 'cpuSeconds'>;
  /** Lets its standard input be written to; default an empty one. */
  stdin?: boolean;
  /** Permits outgoing TCP connections to this port and nothing else on the network; default none at all. */
  network?: { port: number };
  /** Permits it to write files; never together with `network`. */
  writes?: boolean;
  /** Number of further outputs: the child writes to the descriptors from 3 on. Default 0. */
  pipes?: number;
}

export interface OpenedChild {
  pid: number | undefined;
  /** Null without `stdin`. A failed write only shows here: the child has ended. */
  stdin: Writable | null;
  /** A child whose output nobody reads waits. */
  stdout: Readable;
  /** Its further outputs, in the order of their descriptors. */
  pipes: Readable[];
  /** Kills it; safe to repeat. */
  stop(): void;
  /**
   * Resolves once it has ended, even when its output has not been read. `code` is null when a signal ended it, and 127
   * when it did not start. `stderr` is the end of its error text.
   */
  ended: Promise<{ code: number | null; killedBy: NodeJS.Signals | null; stderr: string }>;
}

/** Error texts contain parts of the media; this much is enough for the reason. */
const STDERR_BYTES = 8192;

/**
 * Starts a program that works on client media as long as a stream lasts, confined as by `runChild`. It reads and writes
 * streams with back-pressure and has no time limit: whoever opens it stops it. It is a child of this process even where
 * there is a launcher, because a stream starts once and then passes every byte directly.
 */
export async function openChild(opening: ChildOpening): Promise<OpenedChild> {
  const { program, args, limits = {}, stdin = false, network, writes = false, pipes: count = 0 } = opening;
  const [first, ...words] = await confined(program, limits, { network: network ?? false, writes });
  const child: ChildProcess = spawn(first, [...words, ...args], {
    stdio: Array.from({ length: 3 + count }, () => 'pipe' as const),
    env: childEnvironment(),
    windowsHide: true,
  });
  // Without file descriptors it has no streams, and an error that nobody listens to would end this process.
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  const { stdin: input, stdout, stderr: errors } = child;
  const pipes = child.stdio.slice(3).flatMap((pipe) => (pipe instanceof Readable ? [pipe] : []));
  if (!input || !stdout || !errors || pipes.length < count) {
    throw new AditError('UNAVAILABLE', `${program} cannot be started now: ${(await failed).message}`);
  }
  let stderr = '';
  errors.on('data', (piece: Buffer) => (stderr = (stderr + piece.toString('utf8')).slice(-STDERR_BYTES)));
  // Without a listener a write to a child that has just ended would end this process.
  input.on('error', () => undefined);
  if (!stdin) input.end();
  const ended = new Promise<Awaited<OpenedChild['ended']>>((resolve) => {
    child.on('error', ({ message }) => resolve({ code: 127, killedBy: null, stderr: message }));
    child.on('exit', (code, killedBy) => {
      const end = (): void => resolve({ code, killedBy, stderr });
      if (errors.closed) end();
      else errors.once('close', end);
    });
  });
  const stop = (): void => void child.kill('SIGKILL');
  return { pid: child.pid, stdin: stdin ? input : null, stdout, pipes, stop, ended };
}
