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

describe('a source with several waiting chunks', () => {
  const lost = new AditError('CONFLICT', 'Nobody waits for this attempt any more.');
  let folder: string;
  let server: Server;
  let cache: SourceCache;
  /** Replies in progress. */
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
    // Nothing is known of the job: it asks for no programme.
    const db = { manager: { findOne: () => Promise.resolve(null) } };
    cache = new SourceCache(folder, config, null as never, db as never);
  });
  afterEach(async () => {
    await cache.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const keep = (file: FetchedSource): Promise<FetchedSource> => Promise.resolve(file);
  const use = (signal: AbortSignal, work = keep): Promise<FetchedSource> => {
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/photo.png`;
    const source = { jobId: 'job', workspaceId: 'workspace', index: 0, uri };
    return cache.use(source, work, signal);
  };

  /** @hardening jobs: Who gives up a fetch or an upload takes it from others */
  it('is delivered to the others when the first of them gives up', async () => {
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

  it('is no longer fetched when nobody waits, and fetched anew for the next one', async () => {
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

  it('is fetched anew after it was broken, and stays until its users are done', async () => {
    const failing = new AditError('MEDIA_INVALID', 'It is broken.');
    const { signal } = new AbortController();
    server.on('asked', () => replies.at(-1)!.end(blackPng(replies.length, 8)));
    const given: FetchedSource[] = [];
    let done: () => void = () => undefined;
    const reading = use(signal, async (file) => {
      given.push(file);
      await new Promise<void>((resolve) => (done = resolve));
      await access(file.path);
      return file;
    });
    await expect(use(signal, () => Promise.reject(failing))).rejects.toBe(failing);
    const again = await use(signal);
    expect(replies).toHaveLength(2);
    expect((await use(signal)).path).toBe(again.path);
    done();
    expect((await reading).path).not.toBe(again.path);
    await expect(access(given[0]!.path)).rejects.toMatchObject({ code: 'ENOENT' });
    await access(again.path);
  });

  it.each([
    ['the database is away', () => new AditError('UNAVAILABLE', 'The database is away.'), false],
    ['the attempt is lost', () => lost, true],
  ])('is kept when %s', async (_, reason, isLost) => {
    const attempt = new AbortController();
    server.on('asked', () => replies.at(-1)!.end(blackPng(8, 8)));
    const failed = use(attempt.signal, () => {
      if (isLost) attempt.abort(lost);
      return Promise.reject(reason());
    });
    await expect(failed).rejects.toMatchObject({ code: reason().code });
    await use(new AbortController().signal);
    expect(replies).toHaveLength(1);
  });
});
