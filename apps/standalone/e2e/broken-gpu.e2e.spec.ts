/** @needs ffmpeg, build */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterEach, expect, it } from '@jest/globals';

const program = [...RUNNABLE_FLAGS, runnable('../../inference-face/main.ts', import.meta.url)];

interface Probe {
  status: number;
  state: string;
  checks: { name: string; ok: boolean; reason?: string; detail?: string }[];
}

let child: ChildProcess | null = null;
let folder: string;
let output = '';

afterEach(async () => {
  if (child?.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

/** An inference process on the embedded drivers; answers what asks its probes. */
async function start(settings: Record<string, string>): Promise<(path: string) => Promise<Probe | null>> {
  folder = await mkdtemp(join(tmpdir(), 'adit-gpu-'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const env = { ...process.env, ADIT_DATA_DIR: folder, ADIT_OPERATIONS_PORT: String(port), ...settings };
  output = '';
  child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout?.on('data', (text) => (output += String(text)));
  child.stderr?.on('data', (text) => (output += String(text)));
  return async (path) => {
    if (child?.exitCode !== null) throw new Error(`The process has ended:\n${output}`);
    const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    if (reply === null) return null;
    return { status: reply.status, ...((await reply.json()) as Omit<Probe, 'status'>) };
  };
}

async function until(ask: () => Promise<Probe | null>, fits: (probe: Probe) => boolean): Promise<Probe> {
  for (;;) {
    const probe = await ask();
    if (probe !== null && fits(probe)) return probe;
    await sleep(200);
  }
}

const inferenceOf = ({ checks }: Probe) => checks.find(({ name }) => name === 'inference');

it('takes no work with cuda alone where CUDA does not work, and says why', async () => {
  const ask = await start({ ADIT_PROVIDERS: 'cuda' });
  const ready = await until(
    () => ask('/readyz'),
    (probe) => inferenceOf(probe)?.ok === false,
  );
  expect(ready).toMatchObject({ status: 503, state: 'starting' });
  expect(inferenceOf(ready)?.reason).toMatch(/^The models cannot be run on cuda: .*Failed to load shared library/);
  expect(await ask('/startupz')).toMatchObject({ status: 503 });
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  expect(output).toContain('not ready: the models cannot be run');
});

it('runs on the next provider where one is named, for all its families, and says so', async () => {
  const ask = await start({ ADIT_PROVIDERS: 'cuda,cpu', ADIT_INFERENCE_FAMILIES: 'face,text' });
  const ready = await until(
    () => ask('/readyz'),
    ({ status }) => status === 200,
  );
  expect(inferenceOf(ready)).toMatchObject({ ok: true, detail: 'cpu' });
  expect(output).toContain('an execution provider cannot be used; using the next one');
});
