import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageEntry } from '@adit/contracts';
import { z } from 'zod';
import type { EngineUnderTest } from './engine-under-test.js';

/** Begins an upload and leaves it unfinished until `abort`; `uri` is what it would have as a source. */
export async function unfinishedUpload(engine: EngineUnderTest): Promise<{ uri: string; abort(): void }> {
  const { api, key } = engine;
  const upload = request(`${api.url}/api/v1/storage/?folder=/half`, {
    method: 'POST',
    headers: { authorization: `Key ${key}`, 'content-type': 'multipart/form-data; boundary=edge' },
  });
  upload.on('error', () => undefined);
  upload.write('--edge\r\ncontent-disposition: form-data; name="file"; filename="half.jpg"\r\n\r\nhalf a picture');
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(100)) {
    const reply = await api.request('GET', '/storage/?folder=/half');
    const [entry] = reply.ok ? z.array(StorageEntry).parse(await reply.json()) : [];
    if (entry?.url) return { uri: entry.url, abort: () => upload.destroy() };
  }
  throw new Error('The upload never began.');
}
