/** @needs ffmpeg, build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SegmentEntity } from '@adit/database';
import { DATASET_ERASURES, TaskLoop, type ClaimedTask } from '@adit/leases';
import { eraseRest, MAX_IMAGES_PER_CLASS } from '@adit/datasets';
import type { Dataset, DatasetClass, DatasetImage, DatasetImport } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { FileRemovals, storageObjectKey } from '@adit/storage';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { multipart, type Part } from '../contract/multipart.js';
import { World } from '../contract/world.js';
import { UploadEntries } from '../storage/upload-entries.js';

const WRITERS = 50;
let world: World;
let jpeg: Buffer;

beforeAll(async () => {
  world = await World.start();
  jpeg = await readFile(sampleMedia().faces['audrey'] as string);
}, 600_000);
afterAll(() => world?.close());

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await world.ask(method, `/api/v1/datasets/${path}`, body);
  expect([method, path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([method, path, 200, '']);
  return answer.json<T>();
}

async function refusal(method: string, path: string, body?: unknown): Promise<[number, string]> {
  const answer = await world.ask(method, `/api/v1/datasets/${path}`, body);
  return [answer.status, String((answer.json()['errors'] as { pointer: string }[])[0]?.pointer ?? '')];
}

async function post(path: string, parts: Record<string, Part>) {
  const { payload, headers } = multipart(parts);
  return world.ask('POST', `/api/v1/datasets/${path}`, payload, headers);
}

const picture = (filename = 'a.jpg'): Part => ({ filename, contentType: 'image/jpeg', bytes: jpeg });
const dataset = () => ask<Dataset>('POST', '', { name: 'People', type: 'face' });

class Erasures extends TaskLoop {
  protected run(task: ClaimedTask): Promise<void> {
    return eraseRest(this.db, task);
  }
}

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

/** Erases the rest, like the aggregator. */
async function erased(): Promise<void> {
  const { db } = world.gateway;
  const erasures = new Erasures(db, DATASET_ERASURES);
  await erasures.idle();
  await erasures.onApplicationShutdown();
}

describe('datasets', () => {
  it('datasets are counted right while 50 write at the same time', async () => {
    const { id } = await dataset();
    const uri = await world.picture();
    const classes = await Promise.all(
      Array.from({ length: 5 }, (_, n) => ask<DatasetClass>('POST', `${id}/classes/`, { label: `person ${n}` })),
    );
    const writers = Array.from({ length: WRITERS }, async (_, n) => {
      const images = `${id}/classes/${classes[n % 5]!.id}/images/`;
      const first = await ask<DatasetImage>('POST', images, { file_uri: uri, active: n % 3 !== 0 });
      const second = await ask<DatasetImage>('POST', images, { file_uri: uri });
      await ask('PATCH', `${images}${second.id}`, { active: n % 2 === 0 });
      if (n % 10 === 9) await ask('DELETE', `${images}${first.id}`);
    });
    await Promise.all(writers);
    const all = Array.from({ length: WRITERS }, (_, n) => n);
    const gone = all.filter((n) => n % 10 === 9);
    const active = all.filter((n) => n % 3 !== 0 && n % 10 !== 9).length + all.filter((n) => n % 2 === 0).length;
    const expected = { number_of_images: 2 * WRITERS - gone.length, number_of_active_images: active };
    expect(await ask('GET', id)).toMatchObject({ ...expected, number_of_classes: 5, evaluation_state: 0 });
    const shown = await ask<DatasetClass[]>('GET', `${id}/classes/`);
    for (const one of shown) {
      const images = await ask<DatasetImage[]>('GET', `${id}/classes/${one.id}/images/`);
      expect(one).toMatchObject({ number_of_images: images.length, preview_image: images[0] });
    }
    // An inactive class takes its images with it.
    await ask('PATCH', `${id}/classes/${shown[0]!.id}/`, { active: false });
    const left = await ask<Dataset>('GET', id);
    expect(left.number_of_active_classes).toBe(4);
    expect(left.number_of_active_images).toBeLessThan(active);
    expect(left.number_of_images).toBe(expected.number_of_images);
  });

  it('long lists have the same items whole and in pages', async () => {
    const { id } = await dataset();
    const { id: classId, label } = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'many' });
    const { id: imageId } = await ask<DatasetImage>('POST', `${id}/classes/${classId}/images/`, {
      file_uri: await world.picture(),
    });
    const copied = (table: string, key: string, count: number, changed: string) =>
      world.gateway.db.query(
        `INSERT INTO ${table} SELECT r.* FROM ${table} t, generate_series(1, ${count}) n,
           jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', nextval(pg_get_serial_sequence('${table}', 'seq'))${changed})) r
          WHERE t.id = $1 ORDER BY n`,
        [key],
      );
    await copied('dataset_classes', classId, 1_200, `, 'reference', n, 'label', 'one of many ' || n, 'images', 0`);
    await copied('dataset_images', imageId, 600, `, 'notes', 'copy ' || n`);
    const paged = async (path: string) => {
      const pages = await Promise.all(
        [0, 1_000].map((offset) => ask<{ data: unknown[] }>('GET', `${path}offset=${offset}&limit=1000`)),
      );
      return pages.flatMap(({ data }) => data);
    };
    for (const [path, count] of [
      [`${id}/classes/?`, 1_201],
      [`${id}/classes/?search=one of&`, 1_200],
      [`${id}/classes/${classId}/images/?`, 601],
      [`${id}/classes/${classId}/images/?active=true&`, 601],
    ] as const) {
      const whole = await ask<unknown[]>('GET', path);
      expect(whole).toHaveLength(count);
      expect(whole).toEqual(await paged(path));
    }
    expect((await ask<DatasetClass[]>('GET', `${id}/classes/?search=${label}`)).length).toBe(1_201);
  });

  it('datasets keep their order, show the first pictures, and grow in version with every change', async () => {
    const { id, version } = await dataset();
    const uris: string[] = [];
    for (const label of ['d', 'c', 'b', 'a']) {
      const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label, reference: label });
      uris.push(await world.picture());
      await ask('POST', `${id}/classes/${one.id}/images/`, { file_uri: uris.at(-1) });
    }
    const { preview_images: previews, ...shown } = await ask<Dataset>('GET', id);
    expect(previews).toEqual(uris.slice(0, 3));
    expect(shown.version).toBeGreaterThan(version + 7);
    const names = (list: DatasetClass[]) => list.map(({ label }) => label).join('');
    expect(names(await ask('GET', `${id}/classes/`))).toBe('dcba');
    const page = await ask<{ total: number; data: DatasetClass[] }>('GET', `${id}/classes/?offset=1&limit=2`);
    expect([page.total, names(page.data)]).toEqual([4, 'cb']);
    expect(names(await ask('GET', `${id}/classes/?search=B`))).toBe('b');
    expect(names(await ask('GET', `${id}/classes/?reference=a&active=true`))).toBe('a');
    const [first] = await ask<DatasetClass[]>('GET', `${id}/classes/`);
    await ask('DELETE', `${id}/classes/${first!.id}/`);
    const after = await ask<Dataset>('GET', id);
    expect(after).toMatchObject({ number_of_classes: 3, number_of_images: 3 });
    expect(after.version).toBeGreaterThan(shown.version);
  });

  it('datasets know each reference once', async () => {
    const { id } = await dataset();
    const tried = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.ask('POST', `/api/v1/datasets/${id}/classes/`, { label: 'Ada', reference: 'one' }),
      ),
    );
    expect(tried.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    const other = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Bea' });
    expect(await refusal('PATCH', `${id}/classes/${other.id}/`, { reference: 'one' })).toEqual([409, '/reference']);
    // Another dataset has its own, and a class that is gone leaves its reference behind.
    const second = await dataset();
    await ask('POST', `${second.id}/classes/`, { label: 'Ada', reference: 'one' });
    const made = tried.find(({ status }) => status === 200)!.json<DatasetClass>();
    await ask('DELETE', `${id}/classes/${made.id}/`);
    await ask('PATCH', `${id}/classes/${other.id}/`, { reference: 'one' });
  });

  it('datasets take back what they gave, and nothing unknown', async () => {
    const { id } = await dataset();
    const fields = { label: 'Ada', expiration_date: '2030-06-01T12:00:00+02:00', custom_fields: [{ a: 1 }], level: 2 };
    const made = await ask<DatasetClass>('POST', `${id}/classes/`, fields);
    expect(made).toMatchObject({ expiration_date: '2030-06-01T10:00:00.000000Z', custom_fields: [{ a: 1 }], level: 2 });
    const { time_updated: _, ...same } = made;
    expect(await ask('PUT', `${id}/classes/${made.id}/`, made)).toMatchObject(same);
    expect(await refusal('PUT', `${id}/classes/${made.id}/`, { ...made, colour: 'red' })).toEqual([400, '/colour']);
    expect(await ask('PUT', `${id}/classes/${made.id}/`, { label: 'Bea' })).toMatchObject({
      ...{ label: 'Bea', reference: made.reference, expiration_date: null, custom_fields: [], level: 0, active: true },
    });
    const wrong = { label: 'x', expiration_date: '2030-13-01' };
    expect(await refusal('POST', `${id}/classes/`, wrong)).toEqual([400, '/expiration_date']);
  });
});

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

describe('imports', () => {
  it('imports are refused at once where there is nothing to import, and are read and stopped', async () => {
    const { id } = await dataset();
    const other = await dataset();
    const uri = await world.picture();
    const imports = `${id}/imports/`;
    const body = [{}, { file_uri: uri, folder: '/' }, { folder: '/' }, { folder: '/nowhere' }, { folder: '/../x' }];
    const refused = await Promise.all(body.map((one) => refusal('POST', imports, one)));
    expect(refused.map(([status, pointer]) => `${status} ${pointer}`)).toEqual(
      ['', '', '/folder', '/folder', '/folder'].map((pointer) => `400 ${pointer}`),
    );
    for (const wrong of ['storage://nowhere', 'https://example.org/x.zip']) {
      expect(await refusal('POST', imports, { file_uri: wrong })).toEqual([400, '/file_uri']);
    }
    const made = await ask<DatasetImport>('POST', imports, { file_uri: uri });
    expect(made).toMatchObject({ dataset_id: id, file_uri: uri, folder: null, state: 'waiting', progress: 0 });
    expect(await ask('GET', `${imports}${made.id}/`)).toEqual(made);
    expect(await ask('GET', imports)).toMatchObject({ total: 1, data: [made] });
    expect(await ask('GET', `${imports}${made.id}/errors/`)).toMatchObject({ total: 0, data: [] });
    expect((await world.ask('GET', `/api/v1/datasets/${other.id}/imports/${made.id}/`)).status).toBe(404);
    await ask('DELETE', `${imports}${made.id}/`);
    expect((await world.ask('GET', `/api/v1/datasets/${imports}${made.id}/`)).status).toBe(404);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('POST', imports, { file_uri: uri })));
    expect(answers).toHaveLength(20);
    expect((await refusal('POST', imports, { file_uri: uri }))[0]).toBe(409);
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

describe('a class', () => {
  it('a class has no more images than are compared with each other', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    await world.gateway.db.query('UPDATE dataset_classes SET images = $2 WHERE id = $1', [
      one.id,
      MAX_IMAGES_PER_CLASS,
    ]);
    const images = `${id}/classes/${one.id}/images/`;
    const answer = await world.ask('POST', `/api/v1/datasets/${images}`, { file_uri: await world.picture() });
    expect([answer.status, answer.json()['detail']]).toEqual([409, expect.stringContaining('10000')]);
  });
});

describe('a dataset of 100,000 images', () => {
  it('a large dataset is deleted at once, and its files are cleaned up behind the reply', async () => {
    const { id } = await dataset();
    const one = await ask<DatasetClass>('POST', `${id}/classes/`, { label: 'Ada' });
    const { app, db, workspaceId } = world.gateway;
    const objects = app.get<ObjectStore>(OBJECT_STORE);
    const fileKey = storageObjectKey(workspaceId, `${id}n50`);
    await objects.put(fileKey, jpeg);
    const many = 100_000;
    await db.query(
      `INSERT INTO dataset_images (id, workspace_id, dataset_id, class_id, storage_key, owns_file, state)
       SELECT gen_random_uuid(), $1, $2::uuid, $3, $2::uuid || 'n' || n, n % 50 = 0, 'completed' FROM generate_series(1, $4::int) n`,
      [workspaceId, id, one.id, many],
    );
    await db.query(
      `INSERT INTO storage_entries (workspace_id, folder, name, is_folder, key, uploaded, size)
       SELECT $1, '/datasets/' || $2::uuid, n::text, false, $2::uuid || 'n' || n, true, 1 FROM generate_series(1, $3::int) n WHERE n % 50 = 0`,
      [workspaceId, id, many],
    );
    await db.query('UPDATE dataset_classes SET images = $2, active_images = $2 WHERE id = $1', [one.id, many]);
    expect((await ask<Dataset>('GET', id)).number_of_images).toBe(many);
    const page = await ask<{ total: number; data: unknown[] }>('GET', `${id}/classes/${one.id}/images/?offset=99999`);
    expect([page.total, page.data.length]).toEqual([many, 1]);
    const images = async () => (await db.query('SELECT 1 FROM dataset_images WHERE dataset_id = $1', [id])).length;
    await ask('DELETE', id);
    // Nothing was cleaned up for the answer, and nobody sees it any more.
    expect(await images()).toBe(many);
    expect((await world.ask('GET', `/api/v1/datasets/${id}/`)).status).toBe(404);
    expect((await world.ask('GET', `/api/v1/datasets/${id}/classes/`)).status).toBe(404);
    await erased();
    expect(await images()).toBe(0);
    const rows = await db.query('SELECT 1 FROM storage_entries WHERE key LIKE $1', [`${id}%`]);
    // Whoever drains the list of removals, the gateway in its turns or we here: the bytes go.
    await app.get(FileRemovals, { strict: false }).drain();
    expect([rows.length, await objects.stat(fileKey)]).toEqual([0, null]);
    expect(await db.query('SELECT 1 FROM datasets WHERE id = $1', [id])).toEqual([]);
  });
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
