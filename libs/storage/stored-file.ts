import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { StorageEntryEntity, StoragePartEntity } from '@adit/database';
import type { ByteRange, ObjectStore } from '@adit/objects';
import type { EntityManager } from 'typeorm';
import { storageObjectKey, storagePartKey } from './keys.js';

type StoredFile = Pick<StorageEntryEntity, 'id' | 'workspaceId' | 'key' | 'size' | 'uploadLength'>;

/** Opens an uploaded file by its storage key, for what a job names. Throws SOURCE_REFUSED when there is none. */
export async function openStorageKey(
  manager: EntityManager,
  objects: ObjectStore,
  workspaceId: string,
  key: string,
): Promise<{ stream: Readable; size: number }> {
  const entry = await manager.findOneBy(StorageEntryEntity, { workspaceId, key, uploaded: true });
  if (entry === null) throw new AditError('SOURCE_REFUSED', `There is no uploaded file storage://${key}.`);
  return { stream: await openStoredFile(manager, objects, entry), size: Number(entry.size) };
}

/** Bytes of an uploaded file, in one object or in parts. Throws NOT_FOUND before the first byte when they are gone. */
export async function openStoredFile(
  manager: EntityManager,
  objects: ObjectStore,
  file: StoredFile,
  range?: ByteRange,
): Promise<Readable> {
  const { id, workspaceId, key, uploadLength } = file;
  if (key === null) throw new AditError('NOT_FOUND', 'A folder has no content.');
  if (uploadLength === null) return objects.get(storageObjectKey(workspaceId, key), range);
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? Infinity, Number(file.size) - 1);
  const pieces = (await partsWithin(manager, id, start, end)).map((part) => ({
    key: storagePartKey(workspaceId, key, part.name),
    range: { start: Math.max(start - part.start, 0), end: Math.min(end - part.start, part.size - 1) },
  }));
  const [first, ...others] = pieces;
  if (first === undefined) return Readable.from([]);
  // Opened here, so that what is missing is known before the first byte.
  const opened = await objects.get(first.key, first.range);
  const joined = Readable.from(joinedStreams(objects, opened, others), { objectMode: false });
  joined.once('close', () => opened.destroy());
  return joined;
}

async function* joinedStreams(
  objects: ObjectStore,
  first: Readable,
  others: { key: string; range: ByteRange }[],
): AsyncGenerator<unknown> {
  yield* first;
  for (const { key, range } of others) yield* await objects.get(key, range);
}

/** The parts that hold the bytes `start` to `end` (both inclusive), in order. */
async function partsWithin(manager: EntityManager, entryId: number, start: number, end: number) {
  const parts = await manager
    .createQueryBuilder(StoragePartEntity, 'p')
    .where('p.entryId = :entryId', { entryId })
    .andWhere('p.start <= :end AND p.start + p.size > :start', { start, end })
    .orderBy('p.start')
    .getMany();
  return parts.map((part) => ({ name: part.name, start: Number(part.start), size: Number(part.size) }));
}
