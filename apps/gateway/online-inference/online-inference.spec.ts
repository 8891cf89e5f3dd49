/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { BUS, type Bus } from '@adit/bus';
import { OnlineInferenceRequested } from '@adit/contracts';
import { columns, InferenceRequestEntity, ObjectRemovalEntity } from '@adit/database';
import { AnalysisRegistry, AnalysisRunner, ModelRepository } from '@adit/inference';
import { OnlineInferenceWorker } from '@adit/inference-service';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { CLOCK_ALONE, sampleMedia } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { multipart } from '../contract/multipart.js';
import { BOOT_MS, startGateway, type Answer, type TestGateway } from '../testing/gateway.js';
import { OnlineInference } from './online-inference.js';

let gateway: TestGateway;
let photo: Buffer;
/** Handles the questions that come, like an inference service. */
let heard: (id: string) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  gateway = await startGateway({ onlineInferenceConcurrency: 2 });
  photo = await readFile(sampleMedia().groups['sample1']!);
  await gateway.app.get<Bus>(BUS).subscribe({
    topic: 'looks.faces.requested',
    group: 'spec',
    concurrency: 8,
    handle: ({ envelope }) => heard(OnlineInferenceRequested.parse(envelope.payload).lookId),
  });
}, BOOT_MS);
afterAll(() => gateway?.close());

function detect(bytes = photo): Promise<Answer> {
  const { payload, headers } = multipart({ file: { filename: 'a.jpg', contentType: 'image/jpeg', bytes } });
  return gateway.ask('POST', '/api/v1/faces/detect/', payload, headers);
}
const rows = () => gateway.db.manager.count(InferenceRequestEntity);
async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of gateway.app.get<ObjectStore>(OBJECT_STORE).list('looks/')) keys.push(key);
  return keys;
}

describe('a picture in online inference', () => {
  it('a picture is stored during the request, and nothing of it stays', async () => {
    let seen: unknown;
    heard = async (id) => {
      const { objectKey, source } = await gateway.db.manager.findOneByOrFail(InferenceRequestEntity, { id });
      const noted = await gateway.db.manager.countBy(ObjectRemovalEntity, { prefix: objectKey! });
      seen = {
        source,
        noted,
        keys: await stored(),
        isIt: (await gateway.app.get<ObjectStore>(OBJECT_STORE).read(objectKey!)).equals(photo),
      };
      const facts = { kind: 'image', format: 'jpeg', width: 4, height: 3 };
      const answer = { facts, observations: { faces: { sampled: [], tracks: [] } }, segments: [] };
      await gateway.db.query('UPDATE looks SET answer = $2 WHERE id = $1', [id, JSON.stringify(answer)]);
    };
    const { status, json } = await detect();
    expect([status, json()]).toEqual([200, expect.objectContaining({ width: 4, height: 3, faces: [] })]);
    expect(seen).toEqual({ source: null, noted: 1, keys: [expect.stringMatching(/^looks\//)], isIt: true });
    expect([await rows(), await stored()]).toEqual([0, []]);
  });

  it('a request gets 503 and Retry-After when no service answers, or the service cannot', async () => {
    heard = () => Promise.resolve();
    const inference = gateway.app.get(OnlineInference).withLimit(200);
    const late = await detect();
    expect([late.status, late.headers['retry-after']]).toEqual([503, '5']);
    inference.withLimit(15_000);
    heard = async (id) => {
      const problem = { code: 'SOURCE_UNAVAILABLE', message: 'example.org does not answer.' };
      await gateway.db.query('UPDATE looks SET problem = $2 WHERE id = $1', [id, JSON.stringify(problem)]);
    };
    const away = await detect();
    expect([away.status, away.headers['retry-after'], away.json()['detail']]).toEqual([
      ...[503, '5', 'example.org does not answer.'],
    ]);
    expect([await rows(), await stored()]).toEqual([0, []]);
  });

  it('a key has few pictures at a time', async () => {
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    heard = async (id) => {
      await held;
      const problem = { code: 'MEDIA_INVALID', message: 'no' };
      await gateway.db.query('UPDATE looks SET problem = $2 WHERE id = $1', [id, JSON.stringify(problem)]);
    };
    const two = [detect(), detect()];
    while ((await rows()) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const third = await detect();
    expect([third.status, third.headers['retry-after']]).toEqual([429, '1']);
    go();
    expect((await Promise.all(two)).map(({ status }) => status)).toEqual([400, 400]);
    expect((await detect()).status).toBe(400);
    expect([await rows(), await stored()]).toEqual([0, []]);
  });

  it('a file that is no picture, or too large, is refused before a service is asked', async () => {
    heard = () => Promise.reject(new Error('nobody is to be asked'));
    for (const bytes of [Buffer.from('source,target\n'), Buffer.alloc(0), Buffer.from('%PDF-1.7 no picture')]) {
      const { status, json } = await detect(bytes);
      expect([status, json()['errors']]).toEqual([400, [expect.objectContaining({ pointer: '/file_uri' })]]);
    }
    expect((await detect(Buffer.concat([photo, Buffer.alloc(33 << 20)]))).status).toBe(413);
    expect([await rows(), await stored()]).toEqual([0, []]);
  });
});

describe('a question of online inference', () => {
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['', 0],
    [', by a process whose clock is ahead', 20],
    [', by a process whose clock is behind', -20],
  ])('a question is not taken again when a process died of it, nor when it is too old%s', async (_, minutes) => {
    if (minutes !== 0) jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCK_ALONE] });
    const { app, db, workspaceId } = gateway;
    const [objects, analyses, runner] = [
      app.get<ObjectStore>(OBJECT_STORE),
      app.get(AnalysisRegistry),
      app.get(AnalysisRunner),
    ];
    const worker = new OnlineInferenceWorker(
      db,
      objects,
      analyses,
      runner,
      app.get(ModelRepository),
      app.get(ModuleRegistry),
    );
    const question = { analyses: [{ name: 'faces', args: {}, models: [] }], module: null };
    const row = { workspaceId, source: null, objectKey: 'looks/gone', question };
    const [taken, old, gone] = [randomUUID(), randomUUID(), randomUUID()];
    const made = [
      { ...row, id: taken, taken: true },
      { ...row, id: old },
      { ...row, id: gone },
    ];
    for (const each of made) await db.manager.insert(InferenceRequestEntity, columns<InferenceRequestEntity>(each));
    await db.query(`UPDATE looks SET time_created = now() - interval '1 minute' WHERE id = $1`, [old]);
    const signal = new AbortController().signal;
    for (const id of [taken, old, gone, randomUUID()]) await worker.handle({ lookId: id }, { signal });
    const problemOf = async (id: string) =>
      (await db.manager.findOneByOrFail(InferenceRequestEntity, { id })).problem?.code ?? null;
    expect([await problemOf(taken), await problemOf(old), await problemOf(gone)]).toEqual([null, null, 'UNAVAILABLE']);
    await db.manager.clear(InferenceRequestEntity);
  });
});
