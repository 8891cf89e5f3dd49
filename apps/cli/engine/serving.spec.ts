import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { servingUrl, announceServing } from './serving.js';

describe('the note of where an engine serves', () => {
  let folder: string;
  let file: string;
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, reply) => {
    asked.push(headers.authorization);
    reply.setHeader('content-type', 'application/json');
    reply.end('{}');
  });
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-serving-'));
    file = join(folder, 'serving.json');
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it('the note counts while the process that left it lives, and no key goes to whoever listens there afterwards', async () => {
    const takeBack = await announceServing(folder, url);
    expect(await servingUrl(folder, 'a key')).toBe(url);
    expect(asked.splice(0)).toEqual(['Key a key']);
    const { process, ...rest } = JSON.parse(await readFile(file, 'utf8'));
    for (const other of [{ pid: 2 ** 22 }, { pid: -1 }, { started: '1' }, { realm: 'elsewhere' }]) {
      await writeFile(file, JSON.stringify({ ...rest, process: { ...process, ...other } }));
      expect(await servingUrl(folder, 'a key')).toBeNull();
    }
    await writeFile(file, JSON.stringify(rest));
    expect(await servingUrl(folder, 'a key')).toBeNull();
    expect(asked).toEqual([]);
    await takeBack();
    expect(await servingUrl(folder, 'a key')).toBeNull();
  });

  it('the note is missing when it cannot be read', async () => {
    await writeFile(file, '{"url":');
    expect(await servingUrl(folder, 'a key')).toBeNull();
    await rm(file);
    await mkdir(file);
    expect(await servingUrl(folder, 'a key')).toBeNull();
  });
});
