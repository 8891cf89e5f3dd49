import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildVersion } from '@adit/runtime/build-version';
import { startEngine } from '@adit/standalone';
import { pdfDocument, RUNNABLE_FLAGS, runnable, sampleMedia } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import type { Finding } from './commands/doctor/finding.js';
import { EXIT_FAILED, EXIT_USAGE } from './output/exit-codes.js';
import { HINT } from './program.js';
import { announceServing } from './engine/serving.js';

const { kennedy } = sampleMedia();

/** Runs the command line to its end. */
async function adit(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = fork(runnable('./main.ts', import.meta.url), args, {
    execArgv: [...RUNNABLE_FLAGS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)]);
  return { code: code as number | null, stdout, stderr };
}

describe('adit', () => {
  /** @hardening api: The command line does not say what it takes */
  it('alone says what to begin with', async () => {
    expect(await adit([])).toEqual({ code: EXIT_USAGE, stdout: '', stderr: HINT });
    expect(HINT).toContain('adit mine');
  });
});

describe('a command that there is not', () => {
  it('says so, and where what it would do is to be had, also when its help is asked for', async () => {
    const { code, stdout, stderr } = await adit(['export', '--help']);
    expect([code, stdout]).toEqual([EXIT_USAGE, '']);
    expect(stderr).toMatch(/^There is no command export\. "adit jobs export" writes what a job found/);
    expect((await adit(['jobs', 'delete', '--help'])).stdout).toContain('--older-than <age>');
    expect((await adit(['transcript', 'link', '--help'])).stdout).toContain('--read-only');
  });
});

describe('adit start', () => {
  it.each([
    [{ PORT: '99999' }, [], /A port is a whole number from 0 to 65535\.\n/],
    [{ PORT: 'x' }, [], /A port is a whole number/],
  ])('says in a sentence that %j is no port', async (env, args, message) => {
    const { code, stderr } = await adit(['start', ...args], env);
    expect([code, stderr]).toEqual([EXIT_USAGE, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/\n +at /);
    // Others do not care.
    expect((await adit(['jobs', '--help'], env)).code).toBe(0);
  });

  it('says in a sentence that its port is taken, or its folder in use', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-start-'));
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const key = { ADIT_API_KEY: 'an-owner-of-the-specs' };
    const taken = await adit(['start', '--data-dir', folder], { ...key, PORT: String(port) });
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Something else listens at 127.0.0.1:${port} already`),
    });
    expect(taken.stderr + taken.stdout).not.toMatch(/\n +at |EADDRINUSE/);
    other.close();
    const engine = await startEngine({
      dataDir: folder,
      port: 0,
      host: '127.0.0.1',
      localRoots: [],
      quiet: true,
      apiKey: key.ADIT_API_KEY,
    });
    const used = await adit(['start', '--data-dir', folder, '--port', '0'], key);
    await engine.close();
    expect(used).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is in use by process \d+\. Stop it first/) });
    expect(used.stderr + used.stdout).not.toMatch(/ at inUse/);
    await rm(folder, { recursive: true });
  }, 300_000);

  it('says in a sentence that its folder is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-start-'));
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const dataDir of [file, join(file, 'below')]) {
      const refused = await adit(['start', '--data-dir', dataDir, '--port', '0']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/^.*The data folder \S+ cannot be used: .*no folder\. Choose another one/m);
      expect(refused.stderr).not.toMatch(/\n +at /);
    }
    await rm(folder, { recursive: true });
  }, 120_000);
});

describe('a command beside `adit start`', () => {
  it('uses that engine, or says which key it wants', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-beside-'));
    const key = { ADIT_API_KEY: 'an-owner-of-the-specs' };
    const options = { dataDir: folder, port: 0, host: '127.0.0.1', localRoots: [], quiet: true };
    const engine = await startEngine({ ...options, apiKey: key.ADIT_API_KEY });
    const list = ['jobs', 'list', '--json', '--data-dir', folder];
    // One of before this one did not say where it serves.
    expect(await adit(list, key)).toMatchObject({ code: 1, stderr: expect.stringContaining(' is in use by process ') });
    const takeBack = await announceServing(folder, engine.url);
    expect(await adit(list, key)).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    expect(await adit(list, { ADIT_API_KEY: '' })).toMatchObject({
      code: EXIT_USAGE,
      stderr: expect.stringContaining(`is served by an engine at ${engine.url}: set ADIT_API_KEY to one of its keys.`),
    });
    await engine.close();
    // Killed before it could take back its word.
    expect(await adit(list, key)).toMatchObject({ code: 0, stdout: '[]\n' });
    await takeBack();
    await rm(folder, { recursive: true });
  }, 300_000);
});

describe('adit mine', () => {
  it('refuses an argument of a module that is not asked before anything is pulled or started', async () => {
    const started = join(tmpdir(), `adit-never-${randomUUID()}`);
    const set = ['--set', 'speech_recogniton.mode=performance'];
    const asked = ['mine', kennedy, '--modules', 'speech_recognition', '--data-dir', started, ...set];
    const { code, stdout, stderr } = await adit(asked);
    expect({ code, stdout }).toEqual({ code: EXIT_USAGE, stdout: '' });
    expect(stderr).toContain('--set speech_recogniton.mode is for a module that is not asked: speech_recognition.');
    expect(existsSync(started)).toBe(false);
  });
});

describe('adit mine of a folder', () => {
  it('gives each kind a job of its own, with the modules that apply, and says what it left out', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-folder-'));
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'paper.pdf'), pdfDocument([{ width: 200, height: 200 }]));
    await writeFile(join(folder, 'second.pdf'), pdfDocument([{ width: 200, height: 300 }]));
    await copyFile(sampleMedia().groups['sample1'] as string, join(folder, 'below/photo.jpg'));
    await copyFile(kennedy, join(folder, 'below/talk.wav'));
    await writeFile(join(folder, 'notes.txt'), 'not media');
    const out = join(folder, '.out');
    const modules = ['--modules', 'face_recognition,gender_neutrality_estimation'];
    const asked = ['mine', folder, ...modules, '--data-dir', join(folder, '.data'), '--out', out];
    const { code, stdout, stderr } = await adit(asked);
    expect([code, stderr]).toEqual([EXIT_FAILED, expect.stringContaining('mined 3, left out 2: ')]);
    expect(stderr).toContain('notes.txt (no media), talk.wav (no module takes it)');
    expect(stderr).toContain('Note: face_recognition is not asked of recordings: it takes image and video.');
    expect(stderr).not.toContain('✗');
    expect(stdout).toContain(join(out, 'documents/report.html'));
    expect(stdout).toContain(join(out, 'pictures/report.html'));
    await rm(folder, { recursive: true });
  }, 300_000);

  it('checks all modules before weights are pulled', async () => {
    const started = join(tmpdir(), `adit-never-${randomUUID()}`);
    const asked = ['mine', kennedy, '--modules', 'speech_recognition,face_recogniton', '--data-dir', started];
    const { code, stderr } = await adit(asked);
    expect([code, existsSync(started)]).toEqual([EXIT_USAGE, false]);
    expect(stderr).toContain('There is no module face_recogniton. Did you mean face_recognition? There are ');
  });
});

describe('an option of a command that adit has as well', () => {
  const nowhere = ['--server', 'http://127.0.0.1:9'];

  it.each([
    ['model', 'canary', 'start', 'helmets', '--version', '2', '--share', '10%', ...nowhere],
    ['model', 'evaluate', 'helmets', '--version', '2', '--images', 'Helmets', ...nowhere],
  ])('an option belongs to the command: %s %s', async (...args) => {
    const { code, stdout, stderr } = await adit(args, { ADIT_API_KEY: 'a-key' });
    expect({ code, stdout }).toEqual({ code: EXIT_FAILED, stdout: '' });
    expect(stderr).toContain('did not answer');
  });

  it('an option belongs to adit before any command', async () => {
    expect(await adit(['--version'])).toMatchObject({ code: 0, stdout: `${buildVersion()}\n` });
  });
});

describe('adit model evaluate', () => {
  it('says what it takes and gives', async () => {
    const { code, stdout } = await adit(['model', 'evaluate', '--help']);
    expect(code).toBe(0);
    for (const option of ['--images', '--version', '--min-confidence', '--out', '--json'])
      expect(stdout).toContain(option);
    expect(stdout).toContain('adit model evaluate helmets --images held-out/ --version 2');
  });

  it('refuses a folder without a labelled picture before an engine is started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-unlabelled-'));
    const started = join(folder, 'data');
    const asked = ['model', 'evaluate', 'general-c', '--images', folder, '--data-dir', started];
    const { code, stderr } = await adit(asked);
    expect(code).toBe(EXIT_USAGE);
    expect(stderr).toMatch(/has no labelled picture: give a folder with a folder for each label/);
    expect(existsSync(started)).toBe(false);
    await rm(folder, { recursive: true });
    expect((await adit(['model', 'evaluate', 'x', '--images', folder, '--min-confidence', '101'])).code).toBe(
      EXIT_USAGE,
    );
  });
});

describe('adit doctor', () => {
  /** @hardening privacy: Child processes inherit secrets, files or the network */
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
    expect(warned).toContain('yt-dlp is not installed: jobs on addresses of YouTube and Vimeo are refused');
    expect(findings).toContainEqual({ state: 'good', what: 'ffmpeg runs without secrets' });
  });
});
