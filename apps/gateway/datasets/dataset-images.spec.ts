/** @needs ffmpeg, build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { SegmentEntity } from '@adit/database';
import type { Dataset, DatasetClass, DatasetImage } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { FileRemovals, storageObjectKey, storageThumbnailKey } from '@adit/storage';
import { describe, expect, it, jest } from '@jest/globals';
import { multipart, type Part } from '../contract/multipart.js';
import { UploadEntries } from '../storage/upload-entries.js';
import { useDatasetWorld, world, jpeg, ask, refusal, dataset } from './testing/dataset-world.js';

useDatasetWorld();

async function post(path: string, parts: Record<string, Part>) {
  const { payload, headers } = multipart(parts);
  return world.ask('POST', `/api/v1/datasets/${path}`, payload, headers);
}

const picture = (filename = 'a.jpg'): Part => ({ filename, contentType: 'image/jpeg', bytes: jpeg });

/** A job whose first segment shows a face. */
async function shownJob(): Promise<{ jobId: string; key: string }> {
  const { jobId } = await world.minedJob();
  const key = `jobs/${jobId}/pictures/face.jpg`;
  await world.gateway.app.get<ObjectStore>(OBJECT_STORE).put(key, jpeg);
  const shown = { thumbnail: { key, width: 8, height: 8 } };
  await world.gateway.db.manager.update(SegmentEntity, { jobId, seq: 0 }, shown);
  return { jobId, key };
}

/** Whole files of the storage in the folder of a class. */
function filesOf(place: string): Promise<unknown[]> {
  return world.gateway.db.query('SELECT name FROM storage_entries WHERE folder = $1 AND uploaded AND NOT is_folder', [
    `/datasets/${place}`,
  ]);
}

describe('images', () => {
  it('images come with their file or by its address, and leave as they came', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${one.id}/images/`;
    const sent = await post(images, { file: picture(), notes: 'sent', active: 'false' });
    const own = sent.json<DatasetImage>();
    expect(own).toMatchObject({ active: false, notes: 'sent', evaluation_result: {} });
    const uri = await world.picture();
    const named = await ask<DatasetImage>('POST', images, { file_uri: uri });
    expect(named.file_uri).toBe(uri);
    const files = async () => {
      const keys = [own.file_uri, uri].map((address) => address.replace('storage://', ''));
      const rows = await world.gateway.db.query('SELECT key FROM storage_entries WHERE key = ANY($1)', [keys]);
      return rows.length as number;
    };
    expect(await files()).toBe(2);
    // Nobody takes a picture away from under an image.
    const [entry] = await world.gateway.db.query('SELECT id FROM storage_entries WHERE key = $1', [
      uri.replace('storage://', ''),
    ]);
    expect((await world.ask('DELETE', `/api/v1/storage/${entry.id}/`)).status).toBe(409);
    await ask('DELETE', `${images}${own.id}`);
    await ask('DELETE', `${images}${named.id}`);
    expect(await files()).toBe(1);
    expect((await world.ask('DELETE', `/api/v1/storage/${entry.id}/`)).status).toBe(200);
  });

  it('no file stays behind when the process dies before its image is there', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${one.id}/images/`;
    const { jobId } = await shownJob();
    const { app, db } = world.gateway;
    // It gets as far as the row of the image, and tidies nothing up.
    const entries = app.get(UploadEntries, { strict: false });
    const tidied = (['discard', 'fail'] as const).map((name) => jest.spyOn(entries, name).mockResolvedValue());
    await db.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it died'; END $$`);
    await db.query('CREATE TRIGGER die BEFORE INSERT ON dataset_images EXECUTE FUNCTION die()');
    try {
      expect((await post(images, { file: picture() })).status).toBe(500);
      expect((await world.ask('POST', `/api/v1/datasets/${images}`, { job_id: jobId, segment_id: 0 })).status).toBe(
        500,
      );
    } finally {
      await db.query('DROP FUNCTION die CASCADE');
      for (const spy of tidied) spy.mockRestore();
    }
    expect(await filesOf(`${id}/${one.id}`)).toEqual([]);
    expect(await ask('GET', id)).toMatchObject({ number_of_images: 0 });
  });

  it('images are pictures', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${one.id}/images/`;
    const words: Part = { filename: 'a.jpg', contentType: 'image/jpeg', bytes: Buffer.from('words') };
    expect((await post(images, { file: words })).status).toBe(400);
    expect((await post(images, { file: picture(), active: 'perhaps' })).status).toBe(400);
    expect(await refusal('POST', images, { file_uri: `storage://${randomUUID()}` })).toEqual([400, '/file_uri']);
    expect((await ask<Dataset>('GET', id)).number_of_images).toBe(0);
    const left = await world.gateway.db.query('SELECT 1 FROM storage_entries WHERE folder = $1', [
      `/datasets/${id}/${one.id}`,
    ]);
    expect(left).toEqual([]);
  });

  it('images move to another class with what is known of them, and are counted there', async () => {
    const { id } = await dataset();
    const [ada, grace] = [
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' }),
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Grace' }),
    ];
    const images = (of: DatasetClass) => `${id}/classes/${of.id}/images/`;
    const own = (await post(images(ada), { file: picture(), active: 'false' })).json<DatasetImage>();
    await ask('POST', images(ada), { file_uri: await world.picture() });
    const { db } = world.gateway;
    await db.query(
      `UPDATE dataset_images SET state = 'completed', clustering = 'outlier', digest = id::text WHERE class_id = $1`,
      [ada.id],
    );
    await db.query(
      `UPDATE dataset_classes SET state = 'completed', evaluated_images = 2, faulty_images = 2 WHERE id = $1`,
      [ada.id],
    );
    const move = () =>
      world.ask('PATCH', `/api/v1/datasets/${images(ada)}${own.id}`, { class_id: grace.id, notes: 'x' });
    const moved = (await move()).json<DatasetImage>();
    expect(moved).toMatchObject({
      id: own.id,
      file_uri: own.file_uri,
      notes: 'x',
      active: false,
      evaluation_result: {},
    });
    // Sent again it is where it is, and counted once.
    expect([(await move()).status, await refusal('GET', `${images(ada)}${own.id}`)]).toEqual([200, [404, '']]);
    const rows = await db.query(
      `SELECT label, images, active_images, evaluated_images, state FROM dataset_classes WHERE dataset_id = $1 ORDER BY seq`,
      [id],
    );
    expect(rows).toEqual([
      { label: 'Ada', images: 1, active_images: 1, evaluated_images: 1, state: 'waiting' },
      { label: 'Grace', images: 1, active_images: 0, evaluated_images: 0, state: 'waiting' },
    ]);
    // Its file goes with it, wherever it is by then.
    await ask('DELETE', `${images(grace)}${own.id}`);
    expect(await filesOf(`${id}/${ada.id}`)).toEqual([]);
  });

  it('images move to no full class, and to none of another dataset', async () => {
    const [{ id }, { id: otherId }] = [await dataset(), await dataset()];
    const [ada, full] = [
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' }),
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Everybody' }),
    ];
    const foreign = await ask<DatasetClass>('POST', `${otherId}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${ada.id}/images/`;
    const image = await ask<DatasetImage>('POST', images, { file_uri: await world.picture() });
    await world.gateway.db.query('UPDATE dataset_classes SET images = 10000 WHERE id = $1', [full.id]);
    const move = (classId: string) =>
      world.ask('PATCH', `/api/v1/datasets/${images}${image.id}`, { class_id: classId });
    expect((await move(full.id)).status).toBe(409);
    expect((await move(foreign.id)).status).toBe(404);
    expect((await move(randomUUID())).status).toBe(404);
    expect((await move('elsewhere')).status).toBe(400);
    expect(await ask<DatasetImage>('GET', `${images}${image.id}`)).toEqual(image);
  });

  it('images that are moved to and fro at once are counted where they end', async () => {
    const { id } = await dataset();
    const classes = [
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' }),
      await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Grace' }),
    ] as const;
    const path = (at: 0 | 1) => `/api/v1/datasets/${id}/classes/${classes[at].id}/images/`;
    const uri = await world.picture();
    const made = await Promise.all(
      Array.from({ length: 6 }, async (_, at) =>
        (await world.ask('POST', path(at % 2 === 0 ? 0 : 1), { file_uri: uri })).json<DatasetImage>(),
      ),
    );
    const replies = await Promise.all(
      made.flatMap(({ id: image }, at) => {
        const from = at % 2 === 0 ? 0 : 1;
        const to = from === 0 ? 1 : 0;
        return [
          world.ask('PATCH', `${path(from)}${image}`, { class_id: classes[to].id }),
          world.ask('DELETE', `${path(to)}${image}`),
        ];
      }),
    );
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    const rows = await world.gateway.db.query(
      `SELECT c.images = count(i.id)::int AS right FROM dataset_classes c LEFT JOIN dataset_images i ON i.class_id = c.id
        WHERE c.dataset_id = $1 GROUP BY c.id`,
      [id],
    );
    expect(rows).toEqual([{ right: true }, { right: true }]);
  });

  it('images have a small picture, made when it is asked for', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${one.id}/images/`;
    const made = (await post(images, { file: picture() })).json<DatasetImage>();
    const key = made.file_uri.replace('storage://', '');
    const { app, db, workspaceId } = world.gateway;
    await app.get<ObjectStore>(OBJECT_STORE).put(storageThumbnailKey(workspaceId, key), jpeg);
    await db.query(`UPDATE storage_entries SET thumbnail = 'made' WHERE key = $1`, [key]);
    const reply = await world.ask('GET', `/api/v1/datasets/${images}${made.id}/thumbnail/`);
    expect([reply.status, reply.headers['content-type'], reply.headers['content-length']]).toEqual([
      200,
      'image/jpeg',
      String(jpeg.length),
    ]);
    expect(await refusal('GET', `${images}${randomUUID()}/thumbnail/`)).toEqual([404, '']);
    await db.query(`UPDATE storage_entries SET thumbnail = 'none', thumbnail_error = 'damaged' WHERE key = $1`, [key]);
    expect(await refusal('GET', `${images}${made.id}/thumbnail/`)).toEqual([404, '']);
  });

  it('images are evaluated anew when their file changes, and only then', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${one.id}/images/`;
    const made = await ask<DatasetImage>('POST', images, { file_uri: await world.picture() });
    const other = await ask<DatasetImage>('POST', images, { file_uri: await world.picture() });
    const { db } = world.gateway;
    await db.query(
      `UPDATE dataset_images SET state = 'completed', clustering = 'match', digest = id::text WHERE class_id = $1`,
      [one.id],
    );
    await db.query(
      `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look)
       SELECT workspace_id, digest, 'a', '{}' FROM dataset_images WHERE class_id = $1`,
      [one.id],
    );
    const states = () => db.query('SELECT state FROM dataset_images WHERE class_id = $1 ORDER BY seq', [one.id]);
    await ask('PUT', `${images}${made.id}`, { notes: 'x', active: false, file_uri: made.file_uri });
    expect(await states()).toEqual([{ state: 'completed' }, { state: 'completed' }]);
    expect(await ask('PATCH', `${images}${other.id}`, { file_uri: made.file_uri })).toMatchObject({
      ...{ file_uri: made.file_uri, evaluation_result: {} },
    });
    expect(await states()).toEqual([{ state: 'completed' }, { state: 'waiting' }]);
    // Cached features of a picture go with the last image that has it.
    const looks = 'SELECT digest FROM dataset_looks WHERE digest = ANY($1)';
    expect(await db.query(looks, [[made.id, other.id]])).toEqual([{ digest: made.id }]);
  });
});

describe('a request with an Idempotency-Key', () => {
  const keyed = (key: string, url: string, body: unknown) =>
    world.ask('POST', `/api/v1/datasets/${url}`, body, { 'idempotency-key': key });

  it('a keyed request makes one image, although a form would do as well', async () => {
    const { id } = await dataset();
    const { id: classId } = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const images = `${id}/classes/${classId}/images/`;
    const order = { file_uri: await world.picture() };
    const answers = [await keyed('image', images, order), await keyed('image', images, order)];
    expect(answers[1]?.headers['idempotency-replayed']).toBe('true');
    expect(answers[1]?.json()).toEqual(answers[0]?.json());
    expect((await keyed('image', images, { ...order, notes: 'other' })).status).toBe(422);
    expect(await ask<DatasetImage[]>('GET', images)).toHaveLength(1);
  });

  /** Leaves the row of a request that died before it answered, past its time. */
  const died = (key: string) =>
    world.gateway.db.query('UPDATE idempotency_keys SET status = NULL, time_expires = now() WHERE key = $1', [key]);

  /** @hardening jobs: A repeated POST fails after its gateway died */
  it('a keyed request finds again what a process made before it died: an import, a class, an image', async () => {
    const { id } = await dataset();
    const { id: classId } = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Bea' });
    const { jobId } = await shownJob();
    const uri = await world.picture();
    const orders: [string, unknown][] = [
      [`${id}/imports/`, { file_uri: uri }],
      [`${id}/classes/`, { label: 'Ada' }],
      [`${id}/classes/`, { label: 'Eve', reference: 'one' }],
      [`${id}/classes/${classId}/images/`, { file_uri: uri }],
      [`${id}/classes/${classId}/images/`, { job_id: jobId, segment_id: 0 }],
    ];
    for (const [index, [url, order]] of orders.entries()) {
      const key = `died-${index}`;
      const first = await keyed(key, url, order);
      await died(key);
      const second = await keyed(key, url, order);
      expect([url, second.status, second.json()]).toEqual([url, 200, first.json()]);
    }
    expect(await ask('GET', `${id}/imports/`)).toMatchObject({ total: 1 });
    expect(await ask('GET', id)).toMatchObject({ number_of_classes: 3, number_of_images: 2 });
    expect(await filesOf(`${id}/${classId}`)).toHaveLength(1);
    // Another request may still not have the reference.
    expect((await keyed('other', `${id}/classes/`, { label: 'Eve', reference: 'one' })).status).toBe(409);
  });

  it('a keyed request that is still being answered differs from a refused one', async () => {
    const { id } = await dataset();
    const order = { file_uri: await world.picture() };
    expect((await keyed('slow', `${id}/imports/`, order)).status).toBe(200);
    const answering = `UPDATE idempotency_keys SET status = NULL, time_expires = now() + interval '1 minute' WHERE key = 'slow'`;
    await world.gateway.db.query(answering);
    const { status, headers, json } = await keyed('slow', `${id}/imports/`, order);
    expect([status, headers['retry-after'], json()]).toMatchObject([
      ...[409, '5'],
      { code: 'CONFLICT', errors: [{ pointer: '', code: 'in_progress' }] },
    ]);
  }, 30_000);
});

describe('the picture of a segment of a job', () => {
  const images = async (type = 'face'): Promise<string> => {
    const { id } = await ask<Dataset>('POST', '', { name: 'Archive', type });
    const { id: classId } = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    return `${id}/classes/${classId}/images/`;
  };

  it('a segment’s picture becomes an image of a class, with a file of its own that goes with it', async () => {
    const objects = world.gateway.app.get<ObjectStore>(OBJECT_STORE);
    const { jobId, key } = await shownJob();
    const path = await images();
    const made = await ask<DatasetImage>('POST', path, { job_id: jobId, segment_id: 0, active: false });
    expect(made).toMatchObject({ active: false, is_auto_generated: false });
    const file = storageObjectKey(world.gateway.workspaceId, made.file_uri.replace('storage://', ''));
    await objects.delete(key);
    expect(await objects.read(file)).toEqual(jpeg);
    await ask('DELETE', `${path}${made.id}`);
    await world.gateway.app.get(FileRemovals).drain();
    await expect(objects.read(file)).rejects.toThrow();
    // Its picture has gone since; nothing is left of the try.
    expect(await refusal('POST', path, { job_id: jobId, segment_id: 0 })).toEqual([400, '/segment_id']);
    expect(await ask<DatasetImage[]>('GET', path)).toEqual([]);
  });

  it('a segment has to be of this workspace, of the dataset’s kind, and have a picture', async () => {
    const { jobId } = await world.minedJob();
    const path = await images();
    for (const [body, pointer] of [
      [{ job_id: jobId, segment_id: 0 }, '/segment_id'],
      [{ job_id: jobId, segment_id: 7 }, '/segment_id'],
      [{ job_id: randomUUID(), segment_id: 0 }, '/job_id'],
      [{ job_id: jobId }, '/file_uri'],
      [{ job_id: jobId, segment_id: 0, file_uri: 'storage://aaaaaaaaaaaaaaaaaaaa' }, '/file_uri'],
      [{ job_id: jobId, segment_id: -1 }, '/segment_id'],
    ] as const) {
      expect([body, ...(await refusal('POST', path, body))]).toEqual([body, 400, pointer]);
    }
    expect(await refusal('POST', await images('landmark'), { job_id: jobId, segment_id: 0 })).toEqual([
      400,
      '/segment_id',
    ]);
  });
});
