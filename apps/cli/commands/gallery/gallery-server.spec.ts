/** @needs weights, build */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@adit/standalone';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { buildGalleryOn, listGalleriesOn } from './gallery-server.js';

const apiKey = 'an-owner-of-the-specs';
let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-gallery-server-'));
  engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots: [], quiet: true, apiKey });
  process.env['ADIT_API_KEY'] = apiKey;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said += String(text)), true));
}, 300_000);
afterAll(async () => {
  jest.restoreAllMocks();
  delete process.env['ADIT_API_KEY'];
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('builds a gallery on an engine that runs, and a version more of it', async () => {
  const server = engine.url;
  const people = join(dataDir, 'people');
  await listGalleriesOn({ server });
  expect(said).toBe('There is none.\n');
  for (const [version, person] of [
    ['1', 'audrey'],
    ['2', 'cage'],
  ] as const) {
    await mkdir(join(people, person), { recursive: true });
    await copyFile(sampleMedia().faces[person] as string, join(people, `${person}/1.jpg`));
    await buildGalleryOn(people, { name: 'team', server });
    said = '';
    await listGalleriesOn({ server });
    expect(said).toMatch(new RegExp(`^team +${version}  face`, 'm'));
  }
  await expect(buildGalleryOn(people, { name: 'team', server, default: true })).rejects.toThrow('--default is for');
}, 300_000);
