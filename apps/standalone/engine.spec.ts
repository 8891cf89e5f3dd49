import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEngine } from './engine.js';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-engine-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it('that cannot start lets go of what it opened: its folder serves the next one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const options = { dataDir, host: '127.0.0.1', quiet: true, apiKey: 'an-owner-of-the-specs' };
  await expect(startEngine({ ...options, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
  const engine = await startEngine({ ...options, port });
  await engine.close();
});

it('says in a dry run that films of a platform cannot be had without yt-dlp', async () => {
  process.env['ADIT_YT_DLP'] = join(dataDir, 'no-such-yt-dlp');
  const apiKey = 'an-owner-of-the-specs';
  const engine = await startEngine({ dataDir, host: '127.0.0.1', port: 0, quiet: true, apiKey });
  try {
    const reply = await fetch(`${engine.url}/api/v1/jobs/?dry_run=true`, {
      method: 'POST',
      headers: { authorization: `Key ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sources: ['https://www.youtube.com/watch?v=x'], modules: { face_recognition: {} } }),
    });
    expect(await reply.json()).toMatchObject({
      sources: [
        {
          facts: null,
          error: expect.stringContaining('need yt-dlp, which is not installed: pip install "yt-dlp[default]"'),
        },
      ],
    });
  } finally {
    delete process.env['ADIT_YT_DLP'];
    await engine.close();
  }
});
