import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  DatasetEntity,
  DatasetImportEntity,
  openDatabase,
  StorageEntryEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { writeZip, type ZipEntry } from '@adit/ooxml';
import { configureLogging } from '@adit/runtime';
import { makeFolders, storageObjectKey } from '@adit/storage';
import { sampleMedia, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { AggregatorSettings } from '../settings.js';
import { DatasetImports } from '../tasks/dataset-imports.js';

let folder: string;
let own: SpecDatabase;
export let database: Database;
export let manager: EntityManager;
export let objects: ObjectStore;
export let jpeg: Buffer;
export let workspaceId: string;
export let datasetId: string;

/** Makes a dataset in the workspace, which imports go into from now on. */
export async function newDataset(): Promise<void> {
  datasetId = randomUUID();
  await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
}

/** Makes a workspace with a dataset, which imports go into from now on. */
export async function newWorkspace(): Promise<void> {
  workspaceId = randomUUID();
  await manager.insert(WorkspaceEntity, { id: workspaceId, name: workspaceId, signingSecret: 'secret' });
  await newDataset();
}

/** Stores a file and returns its key. */
export async function stored(
  bytes: Buffer,
  at = '/',
  name = 'people.zip',
  contentType = 'application/zip',
): Promise<string> {
  const key = randomUUID().replaceAll('-', '').slice(0, 20);
  await objects.put(storageObjectKey(workspaceId, key), bytes);
  await makeFolders(manager, workspaceId, at);
  const file = { workspaceId, folder: at, name, key, contentType, isFolder: false, uploaded: true };
  await manager.insert(StorageEntryEntity, { ...file, size: String(bytes.length) });
  return key;
}

export const zipped = (files: ZipEntry[]) => buffer(writeZip(files));

export const picture = (path: string): ZipEntry => ({ path, body: jpeg });

/** Posts an import into the dataset, and returns its id. */
export async function posted(source: Partial<DatasetImportEntity>): Promise<string> {
  const id = randomUUID();
  await manager.insert(DatasetImportEntity, { id, workspaceId, datasetId, ...source });
  return id;
}

/** Runs the imports that are due, and returns this one. */
export async function run(
  id: string,
  store: ObjectStore = objects,
  settings: Partial<AggregatorSettings> = {},
): Promise<DatasetImportEntity> {
  const imports = new DatasetImports(database.dataSource, store, { ...AggregatorSettings.parse({}), ...settings });
  await imports.idle();
  await imports.onApplicationShutdown();
  return manager.findOneByOrFail(DatasetImportEntity, { id });
}

export const imported = async (source: Partial<DatasetImportEntity>) => run(await posted(source));

export const errorsOf = async (id: string): Promise<string[]> => {
  const rows = await manager.query(
    'SELECT file, code FROM dataset_import_errors WHERE import_id = $1 ORDER BY position',
    [id],
  );
  return rows.map(({ file, code }: { file: string; code: string }) => `${file} ${code}`);
};

export const classes = (): Promise<{ label: string; images: number }[]> =>
  manager.query(
    'SELECT label, images FROM dataset_classes WHERE dataset_id = $1 AND time_deleted IS NULL ORDER BY label',
    [datasetId],
  );

/** Objects of the workspace's files. */
export async function objectKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list(`storage/${workspaceId}/`)) keys.push(key);
  return keys;
}

/** An object store that calls a function before its `at`th object. */
export function meanwhile(at: number, happens: () => Promise<unknown>): ObjectStore {
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

/** Registers the hooks that start and end the shared parts of a spec. */
export function useImportWorld(): void {
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
  beforeEach(() => newWorkspace());
}
