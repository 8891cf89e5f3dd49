/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelId, type Erasure } from '@adit/contracts';
import { CanaryEntity, CanaryPictureEntity, WebhookAttemptEntity, WebhookDeliveryEntity } from '@adit/database';
import { ModelRepository, readVersion } from '@adit/inference';
import { ModelStore } from '@adit/model-store';
import { writeGalleryFiles } from '@adit/modules';
import { isSecretField } from '@adit/runtime';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { addSegment, recordingPrefix, StreamClaims } from '@adit/streams';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '../auth/access.guard.js';
import { filled, OPERATIONS, variablesOf, type Operation } from '../contract/operations.js';
import { STORAGE_CREDENTIALS, WEBHOOK, World } from '../contract/world.js';
import { plantMember } from '../members/testing/members.js';
import type { Answer } from '../testing/gateway.js';

/** Variable of the job that has a recording. */
const RECORDED = 'jobId of a recording';

let world: World;
/** Headers of a key of another workspace, an admin there. */
let otherWorkspace: Record<string, string>;
/** Ids for the variables of paths, of things that the first workspace has. */
let things: Record<string, string[]>;
/** Ids of the other workspace. */
let own: { dataset: string; class: string };
/** Whatever names one of them. */
let secrets: string[];
/** An upload that has begun, on its own address. */
let upload: string;
let heard: string;
let dictionary: { id: string; name: string };
let picture: string;
/** A bucket that it has credentials for. */
let bucket: string;
let segment: { job_id: string; segment_id: number };

beforeAll(async () => {
  world = await World.start();
  otherWorkspace = { authorization: `Key ${(await made<{ key: string }>('workspaces/', { name: 'next door' })).key}` };
  const dataset = (await made<{ id: string }>('datasets/', { name: 'a', type: 'face' }, otherWorkspace)).id;
  own = {
    dataset,
    class: (await made<{ id: string }>(`datasets/${dataset}/classes/`, { label: 'a' }, otherWorkspace)).id,
  };
  things = await everything();
  secrets = [...new Set([...Object.values(things).flat(), dictionary.name, picture])].filter((id) => id.length > 7);
}, 600_000);
afterAll(() => world?.close());

async function made<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  const answer = await world.ask('POST', `/api/v1/${path}`, body, headers);
  if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.json<T>();
}

async function everything(): Promise<Record<string, string[]>> {
  const { jobId, artifactId } = await world.minedJob();
  const { exportId, artifactId: exported } = await world.exported();
  segment = { job_id: jobId, segment_id: 0 };
  const dataset = await world.datasetImage();
  const [datasetId = '', classId = ''] = dataset;
  picture = await world.picture();
  heard = await world.transcribedJob();
  upload = await begun();
  const dictionaryId = await world.dictionary();
  dictionary = (await world.ask('GET', `/api/v1/dictionaries/${dictionaryId}/`)).json();
  const model = await trained();
  const transcript = await world.transcript();
  const version = `/api/v1/transcripts/${transcript.join('/variants/')}/versions/1/paragraphs/`;
  const paragraphs = (await world.ask('GET', version)).json<{ data: { id: string }[] }>().data;
  const imported = await made<{ id: string }>(`datasets/${datasetId}/imports/`, { folder: '/contract' });
  const indexed = await world.identity();
  const webhookId = await world.webhook();
  const erased = {
    dataset_id: datasetId,
    class_id: (await made<{ id: string }>(`datasets/${datasetId}/classes/`, { label: 'Bo' })).id,
  };
  return {
    jobId: [jobId],
    'jobId/artifactId': [jobId, artifactId],
    ...(await recording()),
    storageId: [await world.shownFile()],
    dictionaryId: [dictionaryId],
    modelId: [model],
    'modelId/version': [model, '1'],
    'modelId/pictureId': [model, await compared(model, jobId)],
    datasetId: [datasetId],
    'datasetId/classId': [datasetId, classId],
    'datasetId/classId/imageId': dataset,
    'datasetId/importId': [datasetId, imported.id],
    trainingId: [await world.training()],
    collectionName: [indexed[0]],
    'collectionName/indexId': indexed,
    heldTag: [(await held()).tag],
    erasureId: [(await made<{ id: string }>('erasures/', erased)).id],
    keyId: [(await made<{ id: string }>('api-keys/', { name: 'second', role: 'admin' })).id],
    ...Object.fromEntries(Object.entries(await plantMember(world.gateway)).map(([name, id]) => [name, [id]])),
    'jobId/segmentId': [jobId, '0'],
    accessKey: [await world.accessKey()],
    credentialsId: [await opened()],
    webhookId: [webhookId],
    'webhookId/attemptId': [webhookId, await attempted(webhookId)],
    searchId: [await world.savedSearch()],
    batchId: [await world.batch()],
    reportId: [await world.report()],
    exportId: [exportId],
    'exportId/artifactId': [exportId, exported],
    transcriptId: transcript.slice(0, 1),
    'transcriptId/variantId': transcript,
    'transcriptId/variantId/version': [...transcript, '1'],
    'transcriptId/variantId/version/paragraphId': [...transcript, '1', paragraphs[0]!.id],
  };
}

/** A legal hold. */
async function held(): Promise<{ tag: string }> {
  const hold = { tag: 'case of the first workspace' };
  await made('retention/holds/', hold);
  return hold;
}

/** A live stream of which a segment is recorded. */
async function recording(): Promise<Record<string, string[]>> {
  const { app, db } = world.gateway;
  const order = { sources: ['rtsp://camera.example.org/live'], modules: { face_recognition: {} }, record: true };
  const { id } = await made<{ id: string }>('jobs/', order);
  const stream = await new StreamClaims(db, { streamsPerWorkspace: 100, streamsPerRecorder: 100 }).claim(0, 60);
  if (stream?.jobId !== id) throw new Error('The stream is another job’s.');
  const [objectKey, bytes] = [`${recordingPrefix(id)}a.m4s`, Buffer.from('pictures')];
  await app.get<ObjectStore>(OBJECT_STORE).put(objectKey, bytes);
  const times = { fromUs: 0, durationUs: 4_000_000, timeStart: new Date(), discontinuity: false };
  const segment = { objectKey, bytes: bytes.length, ...times, header: Buffer.from('parameters') };
  await app.get(OutboxRelay).transaction((manager) => addSegment(manager, stream, segment));
  return { [RECORDED]: [id], [`${RECORDED}/part`]: [id, '0.m4s'] };
}

/** Credentials for a bucket. */
async function opened(): Promise<string> {
  const id = await world.storageCredentials();
  ({ bucket } = (await world.ask('GET', `/api/v1/storage-credentials/${id}/`)).json());
  return id;
}

/** A gallery of the workspace alone, as a training stores it. */
async function trained(): Promise<string> {
  const { app, workspaceId } = world.gateway;
  const { pin: network } = app.get(ModelRepository).resolve('face-embedding');
  const folder = await mkdtemp(join(tmpdir(), 'adit-isolation-'));
  const name = 'private-people';
  try {
    const people = [{ label: 'Ada', embeddings: [[1, 0, 0, 0]] }];
    const embedding = { name: network.name, digest: network.digest };
    const manifest = await writeGalleryFiles(folder, name, people, { embedding, dimensions: 4 });
    const { pin, files } = await readVersion(folder, manifest, 1);
    await app.get(ModelStore, { strict: false }).publish({ workspaceId, manifest, digest: pin.digest, folder, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const id = modelId(name, workspaceId);
  for (const end = Date.now() + 45_000; (await world.ask('GET', `/api/v1/models/${id}/`)).status !== 200;) {
    if (Date.now() > end) throw new Error('The model was not noticed.');
    await sleep(50);
  }
  return id;
}

/** A picture of which two versions of the model said different things. */
async function compared(modelId: string, jobId: string): Promise<string> {
  const { app, db, workspaceId } = world.gateway;
  const [canaryId, id, objectKey] = [randomUUID(), randomUUID(), `jobs/${jobId}/canary.jpg`];
  await app.get<ObjectStore>(OBJECT_STORE).put(objectKey, Buffer.from('a JPEG'));
  const counts = { compared: 1, skipped: 0, failed: 0, pictures: 1, differing: 1, labels: {} };
  await db.manager.insert(CanaryEntity, {
    ...{ modelId, id: canaryId, state: 'dropped', stableVersion: 1, stableDigest: 'a', version: 2, digest: 'b' },
    ...{ share: 1, counts: { ...counts, stable: null, candidate: null }, timeEnded: new Date() },
  });
  await db.manager.insert(CanaryPictureEntity, {
    ...{ id, canaryId, workspaceId, jobId, objectKey, frame: 0, time: 0, difference: 1, stable: [], candidate: [] },
  });
  return id;
}

async function begun(): Promise<string> {
  const headers = { ...TUS, 'upload-length': '5', 'upload-metadata': `filename ${btoa('film.bin')}` };
  const answer = await world.ask('POST', '/api/v1/storage/uploads/', undefined, headers);
  return String(answer.json<{ id: number }>().id);
}

/** An attempt to deliver something to this webhook. */
async function attempted(webhookId: string): Promise<string> {
  const { manager } = world.gateway.db;
  const id = randomUUID();
  await manager.insert(WebhookDeliveryEntity, {
    ...{ id, jobId: null, subscription: `webhook:${webhookId}`, fact: 'f', kind: 'webhook', signer: webhookId },
    ...{ url: WEBHOOK.url, receiver: 'https://newsroom.example.org', event: WEBHOOK.event, timestamp: 0, data: '{}' },
    dueAt: new Date(),
  });
  const attempt = { deliveryId: id, webhookId, attempt: 1, timeStarted: new Date(), took: 1 };
  await manager.insert(WebhookAttemptEntity, attempt);
  const attempts = await world.ask('GET', `/api/v1/webhooks/${webhookId}/attempts/`);
  return attempts.json<{ data: { id: string }[] }>().data[0]!.id;
}

const TUS = { 'tus-resumable': '1.0.0' };
const PIECE = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
const PARAGRAPH =
  '/api/v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/{paragraphId}/';
/** Bodies without which a request is refused before it is asked whose a thing is. */
const BODIES: Record<string, () => unknown> = {
  'PUT /api/v1/dictionaries/{dictionaryId}/': () => ({ name: 'a' }),
  'POST /api/v1/models/{modelId}/predict/': () => ({ file_uri: picture }),
  'POST /api/v1/models/{modelId}/canary/': () => ({ version: 2, share: 0.5 }),
  'PUT /api/v1/datasets/{datasetId}/': () => ({ name: 'a' }),
  'POST /api/v1/datasets/{datasetId}/classes/': () => ({ label: 'a' }),
  'PUT /api/v1/datasets/{datasetId}/classes/{classId}/': () => ({ label: 'a' }),
  'POST /api/v1/datasets/{datasetId}/classes/{classId}/images/': () => segment,
  'POST /api/v1/datasets/{datasetId}/imports/': () => ({ folder: '/contract' }),
  'PUT /api/v1/index-collection/{collectionName}/identities/': () => ({
    index_id: things['collectionName/indexId']?.[1],
    label: 'a',
  }),
  'PUT /api/v1/index-collection/{collectionName}/identities/{indexId}/': () => ({ label: 'a' }),
  'PUT /api/v1/access-keys/{accessKey}/': () => ({ name: 'a', scopes: [] }),
  'PATCH /api/v1/members/{memberId}/': () => ({ role: 'reader' }),
  'PUT /api/v1/storage-credentials/{credentialsId}/': () => STORAGE_CREDENTIALS,
  'PUT /api/v1/webhooks/{webhookId}/': () => WEBHOOK,
  'PUT /api/v1/searches/{searchId}/': () => ({ name: 'Cars', what: 'car' }),
  'POST /api/v1/transcripts/{transcriptId}/variants/': () => ({ language: 'de', mode: 'copy' }),
  [`PUT ${PARAGRAPH}`]: () => ({ text: 'a', time_start: 0, time_end: 1 }),
};
const operations = OPERATIONS.filter(({ path }) => path.startsWith('/api/'));
const titled = (chosen: readonly Operation[]) => chosen.map((one) => [`${one.method} ${one.path}`, one] as const);
const ofThings = operations.filter(({ path }) => variablesOf(path).length > 0 && !path.includes('{workspaceId}'));
/**
 * An event stream has no end, nothing was uploaded that the transcript is of, the segment is one of a picture, nobody
 * has seen the live stream, and no process makes thumbnails here.
 */
const isReadable = ({ method, path }: Operation): boolean =>
  method === 'GET' && !/\/(events|media|clip|stream\/picture|{imageId}\/thumbnail)\/$/.test(path);
const lists = operations.filter((one) => isReadable(one) && variablesOf(one.path).length === 0);

async function send({ method, path }: Operation, headers: Record<string, string>): Promise<Answer> {
  const isUpload = path.includes('/uploads/');
  const variables = variablesOf(path).join('/');
  const isRecorded = /\/\{jobId\}\/(recording|stream)\//.test(path);
  const ids = isUpload ? [upload] : things[isRecorded ? variables.replace('jobId', RECORDED) : variables];
  if (ids === undefined) throw new Error(`Nothing was made for ${path}.`);
  const body = method === 'HEAD' ? undefined : (BODIES[`${method} ${path}`]?.() ?? {});
  const piece = isUpload && method === 'PATCH' ? Buffer.from('hello') : body;
  return world.ask(method, `${filled(path, ids)}${path.endsWith('/diff/') ? '?from=1' : ''}`, piece, {
    ...headers,
    ...(isUpload ? TUS : {}),
    ...(isUpload && method === 'PATCH' ? PIECE : {}),
  });
}

describe('the resources of a workspace', () => {
  /** @hardening privacy: A workspace sees another one */
  it.each(titled(ofThings))('another workspace does not find it: %s', async (_, operation) => {
    const { status, text: said } = await send(operation, otherWorkspace);
    expect([status, status === 404 ? '' : said]).toEqual([404, '']);
  });

  it.each(titled(lists.filter(({ route }) => route.access !== 'owner')))(
    'is in no list of another one: %s',
    async (_, { path }) => {
      const answer = await world.ask('GET', path, undefined, otherWorkspace);
      expect([answer.status, secrets.filter((secret) => answer.text.includes(secret))]).toEqual([200, []]);
    },
  );

  const job = (modules: object, more: object = {}): [string, string, object] => [
    'POST',
    'jobs/',
    { sources: ['https://example.org/a.jpg'], modules, ...more },
  ];
  const ordered = (strategy: string, config: object): [string, string, object] => [
    'POST',
    'exports/',
    { strategy, config },
  ];
  const thing = (variables: string): string => things[variables]?.at(-1) ?? '';
  const unknown = 'storage://aaaaaaaaaaaaaaaaaaaa';
  /** Requests that name a thing in their body, or in its place one that nobody has. */
  const namings: Record<string, (named: boolean) => [method: string, path: string, body: object]> = {
    'a file, to be mined': (named) => job({ face_recognition: {} }, { sources: [named ? picture : unknown] }),
    'a bucket, to be mined': (named) =>
      job({ face_recognition: {} }, { sources: [`s3://${named ? bucket : 'nobodys-bucket'}/a.jpg`] }),
    'a gallery, for a job': (named) =>
      job({ face_recognition: { model: named ? 'private-people' : 'nobodys-people' } }),
    'a dictionary, for a job': (named) =>
      job({ face_recognition: { dictionaries: [named ? dictionary.id : randomUUID()] } }),
    'a batch, for a job': (named) => job({ face_recognition: {} }, { batch: named ? thing('batchId') : randomUUID() }),
    'an index collection, for a job': (named) =>
      job({
        face_recognition: { index_unknowns: true, index_collection: named ? thing('collectionName') : 'Nobodys' },
      }),
    'a dataset, to be filled by a job': (named) =>
      job({ lower_third_recognition: { dataset: named ? thing('datasetId') : randomUUID() } }),
    'a batch, to lie in': (named) => [
      'POST',
      'batches/',
      { name: 'a', parent: named ? thing('batchId') : randomUUID() },
    ],
    'a job, to be exported': (named) =>
      ordered('job_results_export', { job_id: named ? thing('jobId') : randomUUID() }),
    'a dataset, to be exported': (named) =>
      ordered('basic_dataset_export', { dataset_id: named ? thing('datasetId') : randomUUID() }),
    'a transcript, to be exported': (named) =>
      ordered('transcript_export', {
        transcript_id: named ? thing('transcriptId') : randomUUID(),
        variant_id: named ? thing('transcriptId/variantId') : randomUUID(),
      }),
    'a job, to be read': (named) => ['POST', 'transcripts/', { job_id: named ? heard : randomUUID() }],
    'a dataset, to be trained with': (named) => [
      'POST',
      'trainings/',
      { source_dataset_id: named ? thing('datasetId') : randomUUID(), output_model_name: 'people' },
    ],
    'a training, to be deleted': (named) => [
      'DELETE',
      `trainings/?id=${named ? thing('trainingId') : randomUUID()}`,
      {},
    ],
    'an archive, to be imported': (named) => [
      'POST',
      `datasets/${own.dataset}/imports/`,
      { file_uri: named ? picture : unknown },
    ],
    'a picture, for a class': (named) => [
      'POST',
      `datasets/${own.dataset}/classes/${own.class}/images/`,
      { file_uri: named ? picture : unknown },
    ],
    'a segment, for a class': (named) => [
      'POST',
      `datasets/${own.dataset}/classes/${own.class}/images/`,
      named ? segment : { job_id: randomUUID(), segment_id: 0 },
    ],
    'a picture, for faces': (named) => ['POST', 'faces/detect/', { file_uri: named ? picture : unknown }],
    'a photo, for a search': (named) => ['POST', 'search/', { photo: named ? picture : unknown }],
    'a person of an index, to be erased': (named) => [
      'POST',
      'erasures/',
      { index_id: named ? thing('collectionName/indexId') : '1234567890' },
    ],
    'a class, to be erased': (named) => [
      'POST',
      'erasures/',
      named
        ? { dataset_id: thing('datasetId'), class_id: thing('datasetId/classId') }
        : { dataset_id: randomUUID(), class_id: randomUUID() },
    ],
  };

  it.each(Object.entries(namings))('another workspace cannot name it: %s', async (_, naming) => {
    const asked = async (named: boolean) => {
      const [method, path, body] = naming(named);
      const { status, json } = await world.ask(method, `/api/v1/${path}`, body, otherWorkspace);
      return { status, code: status < 300 ? null : json()['code'] };
    };
    const answer = await asked(true);
    expect(answer).toEqual({ status: expect.any(Number), code: expect.any(String) });
    expect(answer).toEqual(await asked(false));
  });

  it('no file is lost to another workspace that asks for its erasure', async () => {
    let receipt = await made<Erasure>('erasures/', { file_uri: picture }, otherWorkspace);
    while (receipt.state !== 'completed') {
      await sleep(50);
      receipt = (await world.ask('GET', `/api/v1/erasures/${receipt.id}/`, undefined, otherWorkspace)).json();
    }
    expect(Object.values(receipt.counts).filter((count) => count > 0)).toEqual([]);
    const [datasetId, classId] = things['datasetId/classId'] ?? [];
    await made(`datasets/${datasetId}/classes/${classId}/images/`, { file_uri: picture });
  });

  it.each(titled(ofThings.filter(isReadable)))('its own workspace still has it: %s', async (_, operation) => {
    const { status, text: said } = await send(operation, {});
    expect([status, status === 200 ? '' : said]).toEqual([200, '']);
  });
});

describe('a reader of the workspace', () => {
  let reader: Record<string, string>;
  /** Texts that open or sign something. */
  let hidden: string[];
  const role = { role: 'reader' as const, scopes: [] };

  beforeAll(async () => {
    const { key } = await made<{ key: string }>('api-keys/', { name: 'reader', role: 'reader' });
    reader = { authorization: `Key ${key}` };
    const signing = (await world.ask('GET', '/api/v1/signing-secret/')).json<{ signing_secret: string }>();
    const { secret } = await made<{ secret: string }>('access-keys/', { name: 'a', scopes: [] });
    hidden = [
      WEBHOOK.hmac_secret,
      STORAGE_CREDENTIALS.secret_key,
      signing.signing_secret,
      secret,
      key,
      world.gateway.key,
    ];
  });

  it.each(titled(operations.filter((operation) => isReadable(operation) && refusalOf(role, operation.route) === null)))(
    'is shown no secret: %s',
    async (_, operation) => {
      const isList = variablesOf(operation.path).length === 0;
      const answer = isList ? await world.ask('GET', operation.path, undefined, reader) : await send(operation, reader);
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      expect(hidden.filter((secret) => answer.text.includes(secret))).toEqual([]);
      const isJson = String(answer.headers['content-type']).startsWith('application/json');
      expect(isJson ? secretsIn(answer.json<unknown>()) : []).toEqual([]);
    },
  );
});

/** The values in a reply that are called what secrets are called, at any depth; null is none. */
function secretsIn(value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    isSecretField(name) && member !== null ? [{ [name]: member }] : secretsIn(member),
  );
}
