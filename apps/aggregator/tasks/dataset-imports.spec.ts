import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AditError, RESOURCE_EVENT_DATA, type CustomFields } from '@adit/contracts';
import {
  DatasetEntity,
  DatasetImageEntity,
  DatasetImportEntity,
  openDatabase,
  StorageEntryEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { deleteClass, deleteDataset, insertClasses, insertImages, MAX_IMAGES_PER_CLASS } from '@adit/datasets';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { writeZip, type ZipEntry } from '@adit/ooxml';
import { configureLogging } from '@adit/runtime';
import { makeFolders, storageObjectKey } from '@adit/storage';
import { sampleMedia, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { datasetFile } from './dataset-exports.js';
import { DatasetErasures } from './dataset-erasures.js';
import { AggregatorSettings } from '../settings.js';
import { askedFor, raised } from '../testing/raised-events.js';
import { DatasetImports } from './dataset-imports.js';

let folder: string;
let own: SpecDatabase;
let database: Database;
let manager: EntityManager;
let objects: ObjectStore;
let jpeg: Buffer;
let workspaceId: string;
let datasetId: string;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  folder = await mkdtemp(join(tmpdir(), 'adit-imports-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  ({ manager } = database.dataSource);
  objects = await FilesystemObjectStore.open(folder);
  jpeg = await readFile(sampleMedia().faces['audrey'] as string);
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  [workspaceId, datasetId] = [randomUUID(), randomUUID()];
  await manager.insert(WorkspaceEntity, { id: workspaceId, name: workspaceId, signingSecret: 'secret' });
  await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
});

/** Stores a file and returns its key. */
async function stored(bytes: Buffer, at = '/', name = 'people.zip', contentType = 'application/zip'): Promise<string> {
  const key = randomUUID().replaceAll('-', '').slice(0, 20);
  await objects.put(storageObjectKey(workspaceId, key), bytes);
  await makeFolders(manager, workspaceId, at);
  const file = { workspaceId, folder: at, name, key, contentType, isFolder: false, uploaded: true };
  await manager.insert(StorageEntryEntity, { ...file, size: String(bytes.length) });
  return key;
}

const zipped = (files: ZipEntry[]) => buffer(writeZip(files));
const picture = (path: string): ZipEntry => ({ path, body: jpeg });

async function posted(source: Partial<DatasetImportEntity>): Promise<string> {
  const id = randomUUID();
  await manager.insert(DatasetImportEntity, { id, workspaceId, datasetId, ...source });
  return id;
}

async function run(
  id: string,
  store: ObjectStore = objects,
  settings: Partial<AggregatorSettings> = {},
): Promise<DatasetImportEntity> {
  const imports = new DatasetImports(database.dataSource, store, { ...AggregatorSettings.parse({}), ...settings });
  await imports.idle();
  await imports.onApplicationShutdown();
  return manager.findOneByOrFail(DatasetImportEntity, { id });
}

const imported = async (source: Partial<DatasetImportEntity>) => run(await posted(source));
const errorsOf = async (id: string): Promise<string[]> => {
  const rows = await manager.query(
    'SELECT file, code FROM dataset_import_errors WHERE import_id = $1 ORDER BY position',
    [id],
  );
  return rows.map(({ file, code }: { file: string; code: string }) => `${file} ${code}`);
};
const classes = (): Promise<{ label: string; images: number }[]> =>
  manager.query(
    'SELECT label, images FROM dataset_classes WHERE dataset_id = $1 AND time_deleted IS NULL ORDER BY label',
    [datasetId],
  );
/** Objects of the workspace's files. */
async function objectKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list(`storage/${workspaceId}/`)) keys.push(key);
  return keys;
}

/** An object store that becomes unavailable after so many objects. */
function away(after: number): ObjectStore {
  let left = after;
  return new Proxy(objects, {
    get: (target, name: keyof ObjectStore) =>
      name !== 'put'
        ? target[name].bind(target)
        : (key: string, bytes: Buffer) => {
            left -= 1;
            if (left < 0) throw new AditError('UNAVAILABLE', 'away');
            return target.put(key, bytes);
          },
  });
}

/** An object store that calls a function before its `at`th object. */
function meanwhile(at: number, happens: () => Promise<unknown>): ObjectStore {
  let puts = 0;
  return new Proxy(objects, {
    get: (target, name: keyof ObjectStore) =>
      name !== 'put'
        ? target[name].bind(target)
        : async (key: string, body: Buffer) => {
            puts += 1;
            if (puts === at) await happens();
            return target.put(key, body);
          },
  });
}

describe('an archive', () => {
  it('becomes classes by its folders, in a folder around them or not, and adds to existing ones', async () => {
    const files = ['people/Ada Lovelace/1.jpg', 'people/Ada Lovelace/old/1.jpg', 'people/Zoë/1.jpg'].map(picture);
    const junk = ['__MACOSX/people/._1.jpg', 'people/.DS_Store'].map((path) => ({ path, body: Buffer.from('x') }));
    const key = await stored(await zipped([...junk, ...files]));
    const made = await imported({ storageKey: key });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 3, classes: 2, errors: 0, errorMsg: null });
    expect(await classes()).toEqual([
      { label: 'Ada Lovelace', images: 2 },
      { label: 'Zoë', images: 1 },
    ]);
    const again = await imported({ storageKey: await stored(await zipped([picture('Zoë/2.jpg')])) });
    expect(again).toMatchObject({ state: 'completed', images: 1, classes: 0 });
    expect((await classes())[1]).toEqual({ label: 'Zoë', images: 2 });
    // Each picture is a file of its own, which is removed with its image.
    const images = await manager.findBy(DatasetImageEntity, { datasetId });
    expect(images.map(({ ownsFile, state }) => [ownsFile, state])).toEqual(Array(4).fill([true, 'waiting']));
    const rows = await manager.query(
      `SELECT e.size, e.content_type AS type FROM storage_entries e JOIN dataset_images i ON i.storage_key = e.key AND i.dataset_id = $1`,
      [datasetId],
    );
    expect(rows).toEqual(Array(4).fill({ size: String(jpeg.length), type: 'image/jpeg' }));
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('notifies subscribed webhooks when it is done, and not when it failed', async () => {
    await manager.query('DELETE FROM outbox');
    await askedFor(manager, workspaceId, 'svc.dataset.import.on_completed');
    const made = await imported({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    await imported({ storageKey: await stored(Buffer.from('no archive')) });
    const events = await raised(manager);
    expect(events.map(({ event }) => event)).toEqual(['svc.dataset.import.on_completed']);
    expect(RESOURCE_EVENT_DATA['svc.dataset.import.on_completed'].parse(events[0]!.data).import).toMatchObject({
      ...{ id: made.id, dataset_id: datasetId, state: 'completed', progress: 1, number_of_images: 1 },
    });
  });

  it('has a reason for each refused file, whatever its name and content, and takes the others', async () => {
    // The file is a valid picture: bytes after its end have no effect.
    const bomb = { path: 'Ada/bomb.jpg', body: Buffer.concat([jpeg, Buffer.alloc(150 * jpeg.length)]) };
    const plain = [picture('Ada/1.jpg'), { path: 'Ada/notes.txt', body: Buffer.from('no picture') }, bomb];
    const bytes = await zipped([
      ...plain,
      picture('loose.jpg'),
      picture('Ada/aa/escape.jpg'),
      { ...picture('Ada/damaged.jpg'), compress: false },
      ...['Ada/link.jpg', 'Ada/locked.jpg', 'Ada/huge.jpg', 'Ada/longer.jpg'].map(picture),
    ]);
    // No archive writer allows this: both headers are overwritten.
    const rename = (from: string, to: string) => {
      for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
    };
    rename('Ada/aa/escape.jpg', '../../../scape.jpg'.slice(0, 17));
    const damaged = bytes.indexOf('Ada/damaged.jpg') + Math.floor(jpeg.length / 2);
    bytes.writeUInt8(bytes.readUInt8(damaged) ^ 0xff, damaged);
    // The name follows 46 bytes of the central header: flags at 8, the size at 24, the kind of file at 38.
    const header = (path: string) => bytes.lastIndexOf(path) - 46;
    bytes.writeUInt32LE(0o120777 * 2 ** 16, header('Ada/link.jpg') + 38);
    bytes.writeUInt16LE(bytes.readUInt16LE(header('Ada/locked.jpg') + 8) | 1, header('Ada/locked.jpg') + 8);
    bytes.writeUInt32LE(65 << 20, header('Ada/huge.jpg') + 24);
    bytes.writeUInt32LE(jpeg.length - 1, header('Ada/longer.jpg') + 24);
    const made = await imported({ storageKey: await stored(bytes) });
    expect(made).toMatchObject({ state: 'completed', files: 10, images: 1, classes: 1, errors: 9 });
    const errors: { file: string; code: string; message: string }[] = await manager.query(
      'SELECT file, code, message FROM dataset_import_errors WHERE import_id = $1 ORDER BY position',
      [made.id],
    );
    expect(errors).toEqual(
      [
        ['Ada/notes.txt', 'unreadable', /^The file is text, not media/],
        ['Ada/bomb.jpg', 'unreadable', /^It unpacks to more than 100 times its size/],
        ['loose.jpg', 'no_class', /./],
        ['../../../scape.jp', 'invalid_name', /./],
        ['Ada/damaged.jpg', 'unreadable', /^It is damaged: its checksum is wrong/],
        ['Ada/link.jpg', 'unreadable', /^It is a link/],
        ['Ada/locked.jpg', 'unreadable', /^It is encrypted/],
        ['Ada/huge.jpg', 'unreadable', /^It has \d+ bytes, at most \d+ are taken/],
        ['Ada/longer.jpg', 'unreadable', /^The archive cannot be read: too many bytes/],
      ].map(([file, code, message]) => ({ file, code, message: expect.stringMatching(message as RegExp) })),
    );
    expect(await classes()).toEqual([{ label: 'Ada', images: 1 }]);
  });

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), 'neither a zip archive nor a CSV'],
    ['no archive', () => Buffer.from('PK, but no archive'), 'The archive cannot be read'],
    ['an empty archive', () => zipped([]), 'no picture'],
    ['nothing that can be used', () => zipped([{ path: 'Ada/1.jpg', body: Buffer.from('text') }]), 'None of 1 files'],
    [
      'a list that is none',
      () => zipped([{ path: 'dataset.json', body: Buffer.from('{') }]),
      'dataset.json is no JSON',
    ],
  ])('that is %s fails with the reason', async (_, bytes, reason) => {
    const made = await imported({ storageKey: await stored(await bytes()) });
    expect(made).toMatchObject({ state: 'failed', images: 0 });
    expect(made.errorMsg).toContain(reason);
    expect(made.timeExpiration?.getTime()).toBeGreaterThan(Date.now());
  });

  it('continues after the imported images when its process dies, and makes nothing twice', async () => {
    const paths = Array.from({ length: 130 }, (_, n) => `${n % 7}/${n}.jpg`);
    const id = await posted({ storageKey: await stored(await zipped(paths.map(picture))) });
    // The store becomes unavailable in the second batch: no failure is counted, and imported images stay.
    const broken = await run(id, away(115));
    expect(broken).toMatchObject({ state: 'processing', images: 100, attempts: 0 });
    // Objects stored by the second batch are recorded, and removed unless they are imported.
    const noted = await manager.query('SELECT 1 FROM object_removals');
    expect(noted).toHaveLength(30);
    await manager.query('UPDATE dataset_imports SET lease_until = now() WHERE id = $1', [id]);
    expect(await run(id)).toMatchObject({ state: 'completed', files: 130, images: 130, classes: 7, errors: 0 });
    const names = await manager.query(
      `SELECT e.name FROM dataset_images i JOIN storage_entries e ON e.key = i.storage_key WHERE i.dataset_id = $1 ORDER BY i.seq`,
      [datasetId],
    );
    expect(new Set(names.map(({ name }: { name: string }) => name)).size).toBe(130);
    expect(await manager.query('SELECT 1 FROM object_removals')).toHaveLength(30);
    await manager.query('DELETE FROM object_removals');
  });

  it('continues in a workspace whose quota just suffices, and no more', async () => {
    const paths = Array.from({ length: 110 }, (_, n) => `Ada/${n}.jpg`);
    const bytes = await zipped(paths.map(picture));
    const id = await posted({ storageKey: await stored(bytes) });
    const quota = { storageBytes: bytes.length + 111 * jpeg.length };
    expect(await run(id, away(105), quota)).toMatchObject({ state: 'processing', images: 100 });
    await manager.query('DELETE FROM object_removals');
    await manager.query('UPDATE dataset_imports SET lease_until = now() WHERE id = $1', [id]);
    expect(await run(id, objects, quota)).toMatchObject({ state: 'completed', images: 110, errorMsg: null });
  });

  it('recreates a class that is deleted meanwhile, once, and loses no picture', async () => {
    // Each of three batches has a picture.
    const files = Array.from({ length: 201 }, (_, n) =>
      n % 100 === 0 ? picture(`Ada/${n}.jpg`) : { path: `Ada/${n}.txt`, body: Buffer.from('text') },
    );
    const id = await posted({ storageKey: await stored(await zipped(files)) });
    const deleting = meanwhile(2, async () => {
      const [row]: { id: string }[] = await manager.query('SELECT id FROM dataset_classes WHERE dataset_id = $1', [
        datasetId,
      ]);
      await deleteClass(database.dataSource, { workspaceId, datasetId, classId: row?.id ?? '' });
    });
    expect(await run(id, deleting)).toMatchObject({ state: 'completed', images: 3, classes: 2, errors: 198 });
    expect(await classes()).toEqual([{ label: 'Ada', images: 2 }]);
  });

  /** @hardening overload: An import of many files holds up other workspaces */
  it('yields to a small one of another workspace, and continues after its imported images', async () => {
    /** An importer whose time slice ends at once. */
    class Brief extends DatasetImports {
      protected override readonly timeSliceMs = 0;
    }
    // Each of four batches has a picture.
    const files = Array.from({ length: 400 }, (_, n) =>
      n % 100 === 0 ? picture(`Ada/${n}.jpg`) : { path: `Ada/${n}.txt`, body: Buffer.from('text') },
    );
    const large = await posted({ storageKey: await stored(await zipped(files)) });
    [workspaceId, datasetId] = [randomUUID(), randomUUID()];
    await manager.insert(WorkspaceEntity, { id: workspaceId, name: workspaceId, signingSecret: 'secret' });
    await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
    const small = await posted({ storageKey: await stored(await zipped([picture('Bea/1.jpg')])) });
    const imports = new Brief(database.dataSource, objects, AggregatorSettings.parse({}));
    await imports.idle();
    await imports.onApplicationShutdown();
    const row = (id: string) => manager.findOneByOrFail(DatasetImportEntity, { id });
    const [first, second] = [await row(small), await row(large)];
    expect(first).toMatchObject({ state: 'completed', images: 1, attempts: 1 });
    expect(second).toMatchObject({ state: 'completed', images: 4, classes: 1, errors: 396, attempts: 1 });
    expect(first.timeCompleted?.getTime()).toBeLessThan(second.timeCompleted?.getTime() ?? 0);
  });

  it('survives many restarts while it makes progress, and is given up when it does not', async () => {
    const id = await posted({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    const died = `UPDATE dataset_imports SET state = 'processing', attempts = 3, lease_until = now(), cursor = $2 WHERE id = $1`;
    await manager.query(died, [id, '-1']);
    expect(await run(id)).toMatchObject({ state: 'completed', images: 1, countedFrom: '-1' });
    const stuck = await posted({ storageKey: 'gone' });
    await manager.query(died, [stuck, null]);
    const failed = await run(stuck);
    expect([failed.state, failed.errorMsg]).toEqual(['failed', expect.stringContaining('ended each time')]);
  });

  it('leaves nothing when the dataset is deleted meanwhile', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    await run(
      id,
      meanwhile(110, () => deleteDataset(database.dataSource, workspaceId, datasetId)),
    );
    const erasures = new DatasetErasures(database.dataSource);
    await erasures.idle();
    await erasures.onApplicationShutdown();
    const left = ['dataset_images', 'dataset_imports', 'dataset_classes'].map((table) =>
      manager.query(`SELECT 1 FROM ${table} WHERE dataset_id = $1`, [datasetId]),
    );
    expect(await Promise.all(left)).toEqual([[], [], []]);
    // Objects of the first batch are removed by the list, those of the second are gone; the archive is left.
    const files = await manager.query('SELECT 1 FROM storage_entries WHERE workspace_id = $1 AND NOT is_folder', [
      workspaceId,
    ]);
    expect([files.length, (await objectKeys()).length]).toEqual([1, 101]);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('keeps the imported images when it is deleted meanwhile, and nothing else', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    const store = meanwhile(110, () => manager.delete(DatasetImportEntity, { id }));
    const imports = new DatasetImports(database.dataSource, store, AggregatorSettings.parse({}));
    await imports.idle();
    await imports.onApplicationShutdown();
    expect(await manager.countBy(DatasetImportEntity, { datasetId })).toBe(0);
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    // The archive and a file for each image are left.
    expect((await objectKeys()).length).toBe(101);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('keeps the imported images when the workspace becomes full meanwhile, and says so', async () => {
    const bytes = await zipped(Array.from({ length: 120 }, (_, n) => picture(`Ada/${n}.jpg`)));
    const id = await posted({ storageKey: await stored(bytes) });
    const quota = { storageBytes: bytes.length + 121 * jpeg.length };
    const other = Buffer.alloc(2 * jpeg.length);
    const filling = meanwhile(110, () => stored(other, '/', 'other.bin', 'application/octet-stream'));
    const made = await run(id, filling, quota);
    expect(made).toMatchObject({ state: 'failed', files: 120, images: 100, classes: 1, errors: 0 });
    expect(made.errorMsg).toMatch(
      /^The files and transcripts of this workspace may have \d+ bytes together; \d+ are left\.$/,
    );
    expect(made.timeExpiration?.getTime()).toBeGreaterThan(Date.now());
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    // The archive, the other file, and a file for each image are left.
    expect((await objectKeys()).length).toBe(102);
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('stays within the quota of its workspace, before anything is read and later', async () => {
    const key = await stored(await zipped([picture('Ada/1.jpg'), picture('Ada/2.jpg')]));
    const id = await posted({ storageKey: key });
    const refused = await run(id, objects, { storageBytes: jpeg.length * 3 });
    expect([refused.state, refused.images]).toEqual(['failed', 0]);
    expect(refused.errorMsg).toContain('may be stored');
    expect(await classes()).toEqual([]);
  });

  it('ends at the limit of its dataset, says so, and keeps the imported images', async () => {
    const paths = Array.from({ length: 110 }, (_, n) => `Ada/${n}.jpg`);
    const id = await posted({ storageKey: await stored(await zipped(paths.map(picture))) });
    const full = await run(id, objects, { maxDatasetImages: 105 });
    expect(full).toMatchObject({ state: 'failed', images: 100, classes: 1 });
    expect(full.errorMsg).toBe('A dataset has at most 105 images; delete some, or make another dataset.');
    expect(await classes()).toEqual([{ label: 'Ada', images: 100 }]);
    const many = await zipped(['Ann', 'Bob', 'Cyd'].map((label) => picture(`${label}/1.jpg`)));
    const beyond = await run(await posted({ storageKey: await stored(many) }), objects, { maxClasses: 3 });
    expect([beyond.state, beyond.errorMsg]).toEqual([
      'failed',
      'A dataset has at most 3 classes; delete some, or make another dataset.',
    ]);
    expect(await classes()).toHaveLength(1);
    // The archives and a file for each image are left.
    expect((await objectKeys()).length).toBe(102);
    await manager.query('DELETE FROM object_removals');
  });

  it('does not exceed the limit of a class', async () => {
    const { id: first } = await imported({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    expect(first).toBeDefined();
    await manager.query('UPDATE dataset_classes SET images = $2 WHERE dataset_id = $1', [
      datasetId,
      MAX_IMAGES_PER_CLASS - 1,
    ]);
    const made = await imported({
      storageKey: await stored(await zipped([picture('Ada/2.jpg'), picture('Ada/3.jpg')])),
    });
    expect(made).toMatchObject({ state: 'completed', images: 1, errors: 1 });
    expect(await errorsOf(made.id)).toEqual(['Ada/3.jpg class_full']);
    // Two archives and two pictures are left, nothing of the third.
    expect([(await objectKeys()).length, await manager.query('SELECT 1 FROM object_removals')]).toEqual([4, []]);
  });
});

describe('a CSV of references', () => {
  it('names files of the storage with their fields; wrong lines are named', async () => {
    const key = await stored(jpeg, '/photos', '1.jpg', 'image/jpeg');
    const text = await stored(Buffer.from('x'), '/photos', '1.txt', 'text/plain');
    const lines = [
      'Label;file_uri;Reference;active;notes',
      `Ada;storage://${key};a-1;no;"left; blurred"`,
      `Ada;storage://${key};a-1;;`,
      `Ada;storage://${key};;;`,
      'Ada;https://example.org/a.jpg;;;',
      `;storage://${key};;;`,
      `Ada;storage://${text};;;`,
      'Ada;storage://nowhere;;;',
      `Ada;storage://${key};;perhaps;`,
    ];
    const list = await stored(Buffer.from(lines.join('\r\n')), '/', 'people.csv', 'text/csv');
    const made = await imported({ storageKey: list });
    expect(made).toMatchObject({ state: 'completed', files: 8, images: 3, classes: 1, errors: 5 });
    expect(await errorsOf(made.id)).toEqual([
      'line 5 source_refused',
      'line 6 invalid_line',
      'line 9 invalid_line',
      'line 7 source_refused',
      'line 8 source_refused',
    ]);
    const images = await manager.find(DatasetImageEntity, { where: { datasetId }, order: { seq: 'ASC' } });
    expect(images.map((image) => [image.active, image.notes, image.ownsFile, image.storageKey])).toEqual([
      [false, 'left; blurred', false, key],
      [true, '', false, key],
      [true, '', false, key],
    ]);
  });
});

describe('an import without images', () => {
  const coco = (file: string) =>
    JSON.stringify({
      categories: [{ id: 1, name: 'Ada' }],
      images: [{ id: 1, file_name: file }],
      annotations: [{ id: 1, image_id: 1, category_id: 1 }],
    });
  const list = (content: string): ZipEntry => ({ path: 'result.json', body: Buffer.from(content) });

  it.each<[string, () => Promise<string>, string]>([
    [
      'a list of other pictures',
      async () => stored(await zipped([list(coco('a.jpg')), picture('b.jpg')])),
      'of 2 files',
    ],
    [
      'a list without pictures',
      async () => stored(await zipped([list(coco('a.jpg'))])),
      'result.json names 1 pictures',
    ],
    ['a README', async () => stored(await zipped([{ path: 'README.md', body: Buffer.from('x') }])), 'no picture'],
    ['pictures in no class', async () => stored(await zipped([picture('images/1.jpg')])), 'None of 1 files'],
    ['a header', () => stored(Buffer.from('file_uri,label\n'), '/', 'a.csv', 'text/csv'), 'nothing to import'],
    ['blank rows', () => stored(Buffer.from('file_uri;label\n;\n;;\n'), '/', 'a.csv', 'text/csv'), 'nothing to import'],
    [
      'a list alone',
      () => stored(Buffer.from(coco('a.jpg')), '/', 'a.json'),
      'a.json is a list of COCO without its pictures',
    ],
    ['another archive', () => stored(Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), '/', 'a.7z'), 'a.7z is a 7z archive'],
  ])('from %s has failed, with the reason', async (_, key, reason) => {
    const made = await imported({ storageKey: await key() });
    expect(made).toMatchObject({ state: 'failed', images: 0, classes: 0 });
    expect(made.errorMsg).toContain(reason);
    expect(await classes()).toEqual([]);
  });

  it('from a folder has failed, with the reason', async () => {
    await stored(jpeg, '/camera/images', '1.jpg', 'image/jpeg');
    const made = await imported({ folder: '/camera' });
    expect(made).toMatchObject({ state: 'failed', images: 0, errors: 1 });
    expect(made.errorMsg).toContain('/camera/images/1.jpg: It lies in the folder images, which is none of a class');
    await stored(Buffer.from('x'), '/litter', '.DS_Store', 'text/plain');
    expect(await imported({ folder: '/litter' })).toMatchObject({ state: 'failed', errorMsg: expect.any(String) });
  });
});

describe('a folder of the storage', () => {
  it('may be the export of a tool: its list names the classes', async () => {
    const list = {
      categories: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'people' },
      ],
      images: [
        { id: 1, file_name: '1.jpg' },
        { id: 2, file_name: 'gone.jpg' },
      ],
      annotations: [
        { id: 1, image_id: 1, category_id: 1 },
        { id: 2, image_id: 2, category_id: 1 },
      ],
    };
    await stored(jpeg, '/coco/images/default', '1.jpg', 'image/jpeg');
    await stored(jpeg, '/coco/images/default', '2.jpg', 'image/jpeg');
    await stored(Buffer.from(JSON.stringify(list)), '/coco/annotations', 'instances_default.json', 'application/json');
    const made = await imported({ folder: '/coco' });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 1, classes: 1, errors: 2 });
    expect(await errorsOf(made.id)).toEqual(['/coco/images/default/2.jpg not_listed', 'gone.jpg missing']);
    expect(await classes()).toEqual([{ label: 'Ada', images: 1 }]);
  });

  it('becomes classes by the folders in it', async () => {
    for (const [at, name] of [
      ['/people/Ada', '1.jpg'],
      ['/people/Zoë/more', '2.jpg'],
      ['/people', 'loose.jpg'],
      ['/peoples/Nobody', '3.jpg'],
    ] as const) {
      await stored(jpeg, at, name, 'image/jpeg');
    }
    const made = await imported({ folder: '/people' });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 2, classes: 2, errors: 1 });
    expect(await errorsOf(made.id)).toEqual(['/people/loose.jpg no_class']);
    expect(await classes()).toEqual([
      { label: 'Ada', images: 1 },
      { label: 'Zoë', images: 1 },
    ]);
  });
});

describe('an export', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', 'ß', '/', '\\\\', '.', '"', ' ', '人', '\\n'),
    maxLength: 12,
  });
  const label = text.map((one) => `${one}x`.trim());
  const image = fc.record({ active: fc.boolean(), notes: text, isAutoGenerated: fc.boolean() });
  const described = fc.record({
    label,
    active: fc.boolean(),
    notes: text,
    expiration_date: fc.constantFrom(null, '2030-01-02T03:04:05.000000Z'),
    level: fc.integer({ min: -5, max: 5 }),
    custom_fields: fc.constantFrom<CustomFields>([], [{ type: 'bridge', at: [1, null] }]),
    images: fc.array(image, { maxLength: 3 }),
  });

  /** Returns all client data of the classes and images, in order, and the images' bytes. */
  async function contents(id: string): Promise<unknown> {
    return manager.query(
      `SELECT c.reference, c.label, c.active, c.notes, c.expiration_date, c.level, c.custom_fields, c.images, c.active_images,
              (SELECT json_agg(json_build_array(i.active, i.notes, i.is_auto_generated, e.size) ORDER BY i.seq)
                 FROM dataset_images i JOIN storage_entries e ON e.key = i.storage_key WHERE i.class_id = c.id) AS list
         FROM dataset_classes c WHERE c.dataset_id = $1 ORDER BY c.seq`,
      [id],
    );
  }

  it('continues without a picture whose file is deleted while it is written', async () => {
    const keys = [await stored(jpeg, '/', 'a.jpg', 'image/jpeg'), await stored(jpeg, '/', 'b.jpg', 'image/jpeg')];
    const place = { workspaceId, datasetId };
    const [one] = await insertClasses(database.dataSource, place, [{ label: 'Ada' }]);
    const images = keys.map((storageKey) => ({
      id: randomUUID(),
      storageKey,
      ownsFile: false,
      active: true,
      notes: '',
    }));
    await insertImages(database.dataSource, { ...place, classId: one?.id ?? '' }, images);
    await objects.delete(storageObjectKey(workspaceId, keys[0] ?? ''));
    const row = { workspaceId, config: { dataset_id: datasetId }, strategy: 'basic_dataset_export' as const };
    const { content } = await datasetFile(manager, objects, row, () => Promise.resolve());
    const storageKey = await stored(await buffer(content));
    datasetId = randomUUID();
    await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'To', type: 'face' });
    expect(await imported({ storageKey })).toMatchObject({ state: 'completed', images: 1, errors: 0 });
  });

  it('imported into an empty dataset is the same dataset', async () => {
    const key = await stored(jpeg, '/', 'a.jpg', 'image/jpeg');
    const { dataSource } = database;
    const trial = async (classes: (typeof described extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> => {
      const from = randomUUID();
      await manager.insert(DatasetEntity, { id: from, workspaceId, name: 'From', type: 'face' });
      for (const { images, ...one } of classes) {
        const classId = randomUUID();
        await insertClasses(dataSource, { workspaceId, datasetId: from }, [{ id: classId, ...one }]);
        const rows = images.map((said) => ({ id: randomUUID(), storageKey: key, ownsFile: false, ...said }));
        if (rows.length > 0) await insertImages(dataSource, { workspaceId, datasetId: from, classId }, rows);
      }
      for (const strategy of ['basic_dataset_export', 'coco_export'] as const) {
        datasetId = randomUUID();
        await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'To', type: 'face' });
        const row = { workspaceId, config: { dataset_id: from }, strategy };
        const file = await datasetFile(manager, objects, row, () => Promise.resolve());
        const made = await imported({ storageKey: await stored(await buffer(file.content), '/', `${datasetId}.zip`) });
        expect([made.errorMsg, made.errors]).toEqual([null, 0]);
        expect(await contents(datasetId)).toEqual(await contents(from));
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(described, { minLength: 1, maxLength: 4 }), trial), { numRuns: 6 });
  });
});
