// Servers that another process has started, for the specs of this folder.
import { expect } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers } from './ports.mjs';

const index = new URL('./index.mjs', import.meta.url).href;

/** A process that runs `script`, where `startServers` is at hand, and the first line it writes. */
export async function elsewhere(
  script: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ child: ChildProcess; ended: Promise<void>; line: string }> {
  const code = `const { startServers } = await import(${JSON.stringify(index)});\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) return { child, ended, line };
  throw new Error('It wrote nothing.');
}

/** Resolves when the condition holds, or after a while in which it should have. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition()) && Date.now() < deadline) await sleep(50);
}

export function lives(pid: number): boolean {
  try {
    // A process that has ended but was not waited for still has its entry.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

interface Ending {
  pid(): number | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Expects of a running server that it ends both ways, and answers at the same port again each time. */
export async function expectToEndAndStart(server: Ending, port: number): Promise<void> {
  for (const way of ['stop', 'kill'] as const) {
    const pid = server.pid();
    if (pid === null) throw new Error('The server does not run.');
    expect(await answers(port)).toBe(true);
    await server[way]();
    expect([await answers(port), lives(pid), server.pid()]).toEqual([false, false, null]);
    await server.start();
    expect(server.pid()).not.toBe(pid);
  }
  expect(await answers(port)).toBe(true);
}
