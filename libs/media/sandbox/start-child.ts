import { spawn } from 'node:child_process';
import { killChild } from './kill-child.js';

export interface ChildStart {
  words: [string, ...string[]];
  env: NodeJS.ProcessEnv;
  /** Starts it as a process group of its own, which is killed as one. */
  group: boolean;
  /** Receives standard output piece by piece; without it output is discarded. Never throws. */
  onOutput?: (piece: Buffer) => void;
  onErrorText: (piece: Buffer) => void;
}

export interface RunningChild {
  stop(): void;
  /**
   * Resolves once the child has ended and all its output was passed on. Throws UNAVAILABLE when the end cannot be known
   * any more.
   */
  ended: Promise<{ code: number | null; killedBy: NodeJS.Signals | null } | { neverStarted: string }>;
}

/** Function that starts a program. */
export type StartChild = (start: ChildStart) => RunningChild;

/** Starts a child of this process, which blocks for the duration of the fork. */
export const startHere: StartChild = ({ words: [program, ...args], env, group, onOutput, onErrorText }) => {
  const child = spawn(program, args, {
    stdio: ['ignore', onOutput === undefined ? 'ignore' : 'pipe', 'pipe'],
    env,
    windowsHide: true,
    detached: group,
  });
  child.stdout?.on('data', (piece: Buffer) => onOutput?.(piece));
  child.stderr?.on('data', onErrorText);
  let neverStarted: string | null = null;
  child.on('error', (error) => (neverStarted = error.message));
  return {
    stop: () => void (group ? killChild(child.pid, true) : child.kill('SIGKILL')),
    ended: new Promise((resolve) => {
      child.on('close', (code, killedBy) => resolve(neverStarted === null ? { code, killedBy } : { neverStarted }));
    }),
  };
};
