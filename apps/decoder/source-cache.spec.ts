import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import type { FetchedSource } from '@adit/media';
import { blackPng } from '@adit/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DecoderConfig } from './config.js';
import { SourceCache } from './source-cache.js';

describe('a source that several wait for', () => {
  const lost = new AditError('CONFLICT', 'Nobody waits for this attempt any more.');
  let folder: string;
  let server: Server;
  let cache: SourceCache;
  /** Replies that were begun. */
  let replies: ServerResponse[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-source-cache-'));
    replies = [];
    server = createServer((_request, response) => {
      response.writeHead(200).flushHeaders();
      replies.push(response);
      server.emit('asked');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const config = DecoderConfig.parse({ allowHttp: true, allowPrivateAddresses: ['127.0.0.0/8'] });
    cache = new SourceCache(folder, config, null as never, null as never);
  });
  afterEach(async () => {
    await cache.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const use = (signal: AbortSignal): Promise<FetchedSource> => {
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/photo.png`;
    const source = { jobId: 'job', workspaceId: 'workspace', index: 0, uri };
    return cache.use(source, (file) => Promise.resolve(file), signal);
  };

  it('comes to the others when the first of them gives up', async () => {
    const first = new AbortController();
    const given = use(first.signal);
    const kept = use(new AbortController().signal);
    await once(server, 'asked');
    first.abort(lost);
    await expect(given).rejects.toBe(lost);
    replies[0]!.end(blackPng(8, 8));
    const file = await kept;
    await access(file.path);
    expect(replies).toHaveLength(1);
  });

  it('is fetched no further when nobody is left, and anew for the next one', async () => {
    const users = [new AbortController(), new AbortController()];
    const given = users.map(({ signal }) => use(signal));
    await once(server, 'asked');
    const broken = once(replies[0]!, 'close');
    for (const user of users) user.abort(lost);
    expect(await Promise.allSettled(given)).toMatchObject([{ reason: lost }, { reason: lost }]);
    await broken;
    const again = use(new AbortController().signal);
    await once(server, 'asked');
    replies[1]!.end(blackPng(8, 8));
    expect((await again).size).toBeGreaterThan(0);
  });
});
