import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeJpeg } from '@adit/media';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { canaryCommand } from './model-canary.command.js';

const MODEL = '2b6c4c0e-3a52-5d0c-9b0e-7a1f5a0c9d44';
const seen = { label: 'helmet', score: 0.8, box: { x: 0.1, y: 0.1, w: 0.5, h: 0.5 } };
const canary = {
  ...{ version: 2, stable_version: 1, share: 0.1, state: 'running', reason: null, agreement: 0.875 },
  units: { compared: 3, skipped: 1, failed: 0, last_error: null },
  pictures: { compared: 12, differing: 2 },
  labels: [{ label: 'helmet', both: 7, only_stable: 1, only_candidate: 0 }],
  latency: { stable: { rows: 12, mean_seconds: 0.01, p50_seconds: 0.01, p95_seconds: 0.02 }, candidate: null },
  differing_pictures: ['there', 'gone'].map((id) => ({ id, stable: [seen], candidate: [] })),
};

/** Serves canned answers, since a real service cannot be made to fail for one picture alone. */
let server: Server;
let jpeg: Buffer;
let gone = 404;
let asked: string[] = [];
let folder: string;
let printed = '';

beforeAll(async () => {
  process.env['ADIT_API_KEY'] ??= 'a-key';
  jpeg = (await encodeJpeg({ data: new Uint8Array(64 * 64 * 3).fill(90), width: 64, height: 64 })).data;
  server = createServer((request, reply) => {
    const path = (request.url ?? '').replace(/^.*\/v1\//, '');
    asked.push(`${request.method} ${path}`);
    if (path.endsWith('/pictures/there/')) return reply.setHeader('content-type', 'image/jpeg').end(jpeg);
    reply.setHeader('content-type', 'application/json');
    if (path.endsWith('/pictures/gone/')) {
      reply.statusCode = gone;
      return reply.end(JSON.stringify({ title: 'No', status: gone, detail: 'No.', code: 'OTHER', errors: [] }));
    }
    return reply.end(
      JSON.stringify(path.startsWith('models/?') ? [{ id: MODEL, name: 'helmets', is_public: false }] : canary),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-canary-'));
  printed = '';
  asked = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((printed += String(text)), true));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

function run(...args: string[]): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const at = ['--server', `http://127.0.0.1:${port}`];
  return canaryCommand()
    .exitOverride()
    .parseAsync([...args, ...at], { from: 'user' });
}

describe('adit model canary', () => {
  it('says how two versions differ, and writes the pictures that are still there', async () => {
    gone = 404;
    await run('status', 'helmets', '--pictures', folder);
    expect(printed).toContain('helmets version 2 on 10 % of what version 1 looks at: running');
    expect(printed).toContain('3 compared, 1 skipped, 0 failed');
    expect(printed).toContain('87.5 % of what either saw; 2 of 12 pictures differ');
    expect(printed).toMatch(/helmet +7 +1 +0/);
    expect((await readdir(folder)).sort()).toEqual(['1-candidate.jpg', '1-stable.jpg']);
  });

  it('takes no other failure for a picture that has gone', async () => {
    gone = 403;
    await expect(run('status', 'helmets', '--pictures', folder)).rejects.toMatchObject({ status: 403 });
  });

  it.each([
    [['start', 'helmets', '--version', '2', '--share', '10%'], `POST models/${MODEL}/canary/`],
    [['promote', 'helmets'], `POST models/${MODEL}/canary/promote/`],
    [['drop', 'helmets'], `POST models/${MODEL}/canary/drop/`],
  ])('the remedy for %j is named', async (args, request) => {
    await run(...args);
    expect(asked.at(-1)).toBe(request);
  });

  it('names the models that there are for one that is not', async () => {
    await expect(run('status', 'boots')).rejects.toThrow('There is no model boots; there are helmets.');
  });
});
