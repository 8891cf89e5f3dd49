import { createHash, randomUUID } from 'node:crypto';
import type { Erasure } from '@adit/contracts';
import {
  ArtifactEntity,
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  MediaEntity,
  ObservationEntity,
  SegmentEntity,
} from '@adit/database';
import { artifactKey, mediaPrefix } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { World } from '../../contract/world.js';
import { Erasures } from '../erasures.js';

const HOUR = 3_600_000;

/** Whatever is made of the file says it. */
export const SECRET = 'Zwiebelfisch';

export let world: World;

export let objects: ObjectStore;

export const db = () => world.gateway.db;

export const workspaceId = () => world.gateway.workspaceId;

export const newUri = () => `storage://${randomUUID()}`;

export const later = () => new Date(Date.now() + HOUR);

/** Tables and objects in which the text is found. */
export async function placesOf(text: string): Promise<string[]> {
  const tables: { name: string }[] = await db().query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const rows = await db().query(`SELECT 1 FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1 LIMIT 1`, [`%${text}%`]);
    if (rows.length > 0) places.push(name);
  }
  for await (const { key } of objects.list('')) {
    if ((await objects.read(key)).includes(text)) places.push(key.split('/').slice(0, 1).join('/'));
  }
  return [...new Set(places)].sort();
}

/** Caches observations of bytes, like an analysis. `partOf`: the digest of the file that they are a part of. */
export async function observed(digest: string, partOf: string | null = null): Promise<void> {
  const generation = randomUUID();
  const folder = mediaPrefix(workspaceId(), digest, generation);
  const media = {
    workspaceId: workspaceId(),
    digest,
    partOf,
    facts: filmFacts(),
    grid: [],
    indexKey: `${folder}frame-index`,
  };
  await objects.put(media.indexKey, Buffer.from(SECRET));
  await db().manager.insert(MediaEntity, { ...media, generation, timeExpires: later() });
  const objectKey = `${folder}audio-0-1000/a/l/observations.json`;
  await objects.put(objectKey, Buffer.from(SECRET));
  await db().manager.insert(ObservationEntity, {
    ...{ workspaceId: workspaceId(), mediaDigest: digest, interval: 'audio-0-1000', analysisDigest: 'a', objectKey },
    timeExpires: later(),
  });
}

export async function filed(jobId: string, filename: string): Promise<void> {
  const objectKey = artifactKey(jobId, randomUUID());
  await objects.put(objectKey, Buffer.from(SECRET));
  const file = { id: randomUUID(), filename, mimeType: null, objectKey, size: '1', timeExpiration: later() };
  await db().manager.insert(ArtifactEntity, { ...file, jobId });
}

/** A job that heard something in a file: nothing of it has a picture, nobody is known. */
export async function heard(uri: string, texts = [`Guten Abend, ${SECRET}.`, 'Und nun das Wetter.']) {
  const { manager } = db();
  const jobId = await world.transcribedJob(texts);
  const digest = createHash('sha256').update(uri).digest('hex');
  await manager.update(JobSourceEntity, { jobId, index: 0 }, { uri, mediaDigest: digest, state: 'planned' });
  const count = { segmentCount: texts.length };
  await manager.update(JobModuleEntity, { jobId }, count);
  const summary = [
    { source: uri, media_type: 'audio', info: {}, items: [{ type: 'speech', label: SECRET, module: 's' }] },
  ];
  await manager.update(JobEntity, { id: jobId }, columns<JobEntity>({ ...count, summary: summary as never }));
  for (const filename of ['results.json', 'report.html', 'speech.srt']) await filed(jobId, filename);
  return { jobId, digest };
}

export const posted = async (uri: string): Promise<Erasure> => {
  const answer = await world.ask('POST', '/api/v1/erasures/', { file_uri: uri });
  expect(answer.status).toBe(200);
  return answer.json<Erasure>();
};

export const receipt = async ({ id }: { id: string }): Promise<Erasure> =>
  (await world.ask('GET', `/api/v1/erasures/${id}/`)).json<Erasure>();

export const asker = () =>
  ({ workspaceId: workspaceId(), actorKind: 'api-key', actorId: 'k', actorName: 's', requestId: 'r' }) as const;

/** The object store, but for how it deletes. */
export const deleting = (how: ObjectStore['delete']) =>
  Object.assign(Object.create(objects) as ObjectStore, { delete: how });

export const goOn = () => new Erasures(db(), objects).finish();

export const segmentsOf = (jobId: string) =>
  db().manager.find(SegmentEntity, { where: { jobId }, order: { seq: 'ASC' } });

export const uriOf = async (jobId: string): Promise<string> =>
  (await db().manager.findOneByOrFail(JobSourceEntity, { jobId })).uri;

/** Registers the hooks that start and end the shared parts of a spec. */
export function useErasureWorld(): void {
  beforeAll(async () => {
    world = await World.start();
    objects = world.gateway.app.get<ObjectStore>(OBJECT_STORE);
  }, 600_000);
  afterAll(() => world?.close());
}
