/** @needs ffmpeg, build */
import 'reflect-metadata';
import { DATASET_ERASURES, TaskLoop, type ClaimedTask } from '@adit/leases';
import { eraseRest, MAX_IMAGES_PER_CLASS } from '@adit/datasets';
import type { Dataset, DatasetClass, DatasetImage, DatasetImport } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { FileRemovals, storageObjectKey } from '@adit/storage';
import { describe, expect, it } from '@jest/globals';
import { useDatasetWorld, world, jpeg, ask, refusal, dataset } from './testing/dataset-world.js';

useDatasetWorld();

const WRITERS = 50;

class Erasures extends TaskLoop {
  protected run(task: ClaimedTask): Promise<void> {
    return eraseRest(this.db, task);
  }
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
