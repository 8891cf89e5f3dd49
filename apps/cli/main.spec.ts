import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Finding } from './finding.js';
import { EXIT_USAGE, HINT } from './program.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Runs the command line to its end. */
async function adit(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = fork(file('./main.ts'), args, {
    execArgv: ['--conditions=@adit/source', '--import', file('../../libs/testing/source-loader.mjs')],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)]);
  return { code: code as number | null, stdout, stderr };
}

describe('adit', () => {
  it('alone says what to begin with', async () => {
    expect(await adit([])).toEqual({ code: EXIT_USAGE, stdout: '', stderr: HINT });
    expect(HINT).toContain('adit mine');
  });
});

describe('adit doctor', () => {
  it('says what hostile films are not kept from, where programs for that are missing', async () => {
    const { stdout } = await adit(['doctor', '--json'], { PATH: '/no/such/folder' });
    const findings = JSON.parse(stdout) as Finding[];
    const warned = findings.filter(({ state }) => state === 'warning').map(({ what }) => what);
    expect(warned).toEqual(
      expect.arrayContaining([
        'ffmpeg and ffprobe share the network',
        'ffmpeg and ffprobe have no limits of memory, CPU and files',
        'ffmpeg outlives an engine that is killed',
      ]),
    );
    expect(findings).toContainEqual({ state: 'good', what: 'ffmpeg runs without secrets' });
  });
});
