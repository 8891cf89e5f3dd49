import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
/** A program that says its number and that of the script above it, and goes on until it is told to end. */
const program = `console.log(process.pid, process.ppid); process.on('SIGTERM', () => process.exit(0)); setInterval(() => 0, 1e6);`;
/** As tools/setup/run.mjs: the door to a program. */
const script = `
  const { endWithParent } = await import(${here('./end-with-parent.mjs')});
  const { runProgram } = await import(${here('./program.mjs')});
  endWithParent();
  process.exitCode = await runProgram(['-e', ${JSON.stringify(program)}], process.env);`;

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ended(pids: number[]): Promise<void> {
  while (pids.some(lives)) await sleep(50);
}

/** As npm starts a script: by a shell. */
const npm = `require('node:child_process').spawn('sh', ['-c', process.env.SHELL_LINE], { stdio: 'inherit' })`;
/** As what starts npm. */
const terminal = `require('node:child_process').spawn(process.execPath, ['-e', process.env.NPM], { stdio: 'inherit' })`;
const command = `'${process.execPath}' --input-type=module -e "$SCRIPT"`;

/** Starts `top`, and what it starts down to the program. */
async function started(top: string, shellLine: string) {
  const child = spawn(process.execPath, ['-e', top], {
    env: { ...process.env, SCRIPT: script, NPM: npm, SHELL_LINE: shellLine, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [programPid, scriptPid] = line.split(' ').map(Number) as [number, number];
    return { topPid: child.pid!, scriptPid, programPid };
  }
  throw new Error('It wrote nothing.');
}

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

/** @hardening setup: SIGTERM to npm leaves the engine behind */
describe('what npm started', () => {
  it.each([
    ['SIGTERM', `${command}; exit $?`],
    ['SIGKILL', `${command}; exit $?`],
    ['SIGKILL', `exec ${command}`],
  ] as const)('ends when npm ends by %s, with the shell line %s', async (signal, shellLine) => {
    const { topPid, scriptPid, programPid } = await started(npm, shellLine);
    expect([scriptPid, programPid].every(lives)).toBe(true);
    process.kill(topPid, signal);
    await ended([scriptPid, programPid]);
  });

  (process.platform === 'linux' ? it : it.skip)(
    'outlives what started npm, also where the shell has become the script',
    async () => {
      const { topPid, scriptPid, programPid } = await started(terminal, `exec ${command}`);
      const npmPid = parentOf(scriptPid);
      expect(parentOf(npmPid)).toBe(topPid);
      process.kill(topPid, 'SIGKILL');
      while (parentOf(npmPid) === topPid) await sleep(50);
      // Longer than it takes to look twice.
      await sleep(1500);
      expect([npmPid, scriptPid, programPid].map(lives)).toEqual([true, true, true]);
      process.kill(npmPid, 'SIGKILL');
      await ended([scriptPid, programPid]);
    },
  );
});
