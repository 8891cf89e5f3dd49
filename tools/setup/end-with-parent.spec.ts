import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
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

/** npm, the shell that it starts, the script, and the program: whoever is killed, those below end. */
async function started() {
  const shell = `'${process.execPath}' --input-type=module -e "$SCRIPT"; exit $?`;
  const npm = spawn(
    process.execPath,
    ['-e', `require('node:child_process').spawn('sh', ['-c', process.env.SHELL_LINE], { stdio: 'inherit' })`],
    {
      env: { ...process.env, SCRIPT: script, SHELL_LINE: shell, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: npm.stdout })) {
    const [programPid, scriptPid] = line.split(' ').map(Number) as [number, number];
    return { npm: npm.pid!, scriptPid, programPid };
  }
  throw new Error('It wrote nothing.');
}

describe('what npm started', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('ends when npm ends by %s', async (signal) => {
    const { npm, scriptPid, programPid } = await started();
    expect([scriptPid, programPid].every(lives)).toBe(true);
    process.kill(npm, signal);
    await ended([scriptPid, programPid]);
  });
});
