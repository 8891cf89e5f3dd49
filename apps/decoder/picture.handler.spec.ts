import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessBus } from '@adit/bus';
import { ONLINE_INFERENCE_LIMITS, OnlineInferenceRequested } from '@adit/contracts';
import { columns, InferenceRequestEntity, openDatabase, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { configureLogging } from '@adit/runtime';
import { blackPng, CLOCK_ALONE, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DecoderConfig } from './config.js';
import { PictureHandler } from './picture.handler.js';

describe('a web picture of an online inference request', () => {
  const bus = new InProcessBus();
  const heard: string[] = [];
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let outbox: OutboxRelay;
  let server: Server;
  let web: string;
  let objects: FilesystemObjectStore;
  let handler: PictureHandler;

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    folder = await mkdtemp(join(tmpdir(), 'adit-pictures-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    server = createServer((request, response) => {
      // Other requests are never answered.
      if (request.url === '/photo.png') response.end(blackPng(8, 8));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    web = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const config = DecoderConfig.parse({ allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] });
    await bus.subscribe({
      ...{ topic: 'looks.faces.requested', group: 'spec', concurrency: 1 },
      handle: ({ envelope }) =>
        Promise.resolve(void heard.push(OnlineInferenceRequested.parse(envelope.payload).lookId)),
    });
    outbox = new OutboxRelay(database.dataSource, bus);
    handler = new PictureHandler(database.dataSource, outbox, objects, config, join(folder, 'work'));
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await outbox?.onApplicationShutdown();
    await bus.close();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the state of a request of `secondsAgo` after the decoder handled it. */
  async function fetched(path: string, secondsAgo = 0, signal = new AbortController().signal) {
    const id = randomUUID();
    const question = { analyses: [{ name: 'faces', args: {}, models: [] }], module: null };
    const row = {
      id,
      workspaceId: randomUUID(),
      source: new URL(path, web).href,
      objectKey: `looks/${id}`,
      question,
    };
    await database.dataSource.manager.insert(InferenceRequestEntity, columns<InferenceRequestEntity>(row));
    await database.dataSource.query(
      'UPDATE looks SET time_created = time_created - make_interval(secs => $2) WHERE id = $1',
      [id, secondsAgo],
    );
    await handler.fetch({ lookId: id }, { signal });
    const { problem } = await database.dataSource.manager.findOneByOrFail(InferenceRequestEntity, { id });
    const left = await readdir(join(folder, 'work')).catch((): string[] => []);
    return {
      id,
      ...problem,
      code: problem?.code ?? null,
      isStored: (await objects.stat(row.objectKey)) !== null,
      left,
    };
  }

  it('is stored and passed on', async () => {
    const { id, ...became } = await fetched('/photo.png');
    expect(became).toEqual({ code: null, isStored: true, left: [] });
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).toEqual([id]);
  });

  describe('with a decoder whose clock is off', () => {
    afterEach(() => void jest.useRealTimers());
    it.each([-20, 20])('by %i minutes keeps its true age', async (minutes) => {
      jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCK_ALONE] });
      expect(await fetched('/photo.png')).toMatchObject({ code: null, isStored: true });
      expect(await fetched('/photo.png', ONLINE_INFERENCE_LIMITS.seconds + 1)).toMatchObject({
        code: null,
        isStored: false,
      });
    });
  });

  it('may be requested again when its server answers too late, or the decoder ends', async () => {
    const late = ONLINE_INFERENCE_LIMITS.seconds - 0.2;
    expect(await fetched('/never.png', late)).toMatchObject({ code: 'UNAVAILABLE', isStored: false, left: [] });
    expect(await fetched('/photo.png', 0, AbortSignal.abort())).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is refused for a page of a video platform, without fetching', async () => {
    expect(await fetched('https://www.youtube.com/watch?v=x')).toMatchObject({
      ...{ code: 'SOURCE_REFUSED', message: expect.stringContaining('post a job') },
    });
  });
});
