import { spawn } from 'node:child_process';
import { killChild } from './kill-child.js';

export interface ChildStart {
  words: [string, ...string[]];
  env: NodeJS.ProcessEnv;
  /** Whether it is a process group of its own, which is killed as one. */
  group: boolean;
  /** Standard output, piece by piece; without it output is thrown away. Never throws. */
  onOutput?: (piece: Buffer) => void;
  onErrorText: (piece: Buffer) => void;
}

export interface RunningChild {
  stop(): void;
  /** Once it has ended and all that it wrote was handed out. Throws UNAVAILABLE when that will never be known. */
  ended: Promise<{ code: number | null; killedBy: NodeJS.Signals | null } | { neverStarted: string }>;
}

/** Starts a program. */
export type StartChild = (start: ChildStart) => RunningChild;

/** Starts it as a child of this process, which is held up for as long as that takes. */
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
