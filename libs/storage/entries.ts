import { elementAt } from '@adit/contracts';
import { StorageEntryEntity, StoragePartEntity } from '@adit/database';
import { In, type EntityManager } from 'typeorm';
import type { Place } from './tree.js';

/** An upload that begins. */
export type NewEntry = Place &
  Pick<StorageEntryEntity, 'key' | 'contentType' | 'replaces' | 'renames'> &
  Partial<Pick<StorageEntryEntity, 'uploadLength' | 'size'>>;

/** A file whose bytes are stored. */
export type NewFile = Place & Pick<StorageEntryEntity, 'key' | 'contentType' | 'size' | 'digest'>;

/** Makes the entry of an upload that begins. */
export async function insertUpload(manager: EntityManager, upload: NewEntry): Promise<StorageEntryEntity> {
  const { identifiers } = await manager.insert(StorageEntryEntity, { ...upload, isFolder: false });
  return manager.findOneByOrFail(StorageEntryEntity, { id: elementAt(identifiers, 0)['id'] });
}

/** Makes entries of files whose bytes are there already. */
export async function insertFiles(manager: EntityManager, files: readonly NewFile[]): Promise<void> {
  const timeUploaded = new Date();
  await manager.insert(
    StorageEntryEntity,
    files.map((file) => ({ ...file, isFolder: false, uploaded: true, timeUploaded })),
  );
}

/** All bytes of an upload are stored; false when it was deleted or given up meanwhile. */
export async function makeFile(
  manager: EntityManager,
  id: number,
  file: Omit<NewFile, 'key'> & Pick<StorageEntryEntity, 'replaces'>,
): Promise<boolean> {
  const { affected } = await manager.update(
    StorageEntryEntity,
    { id, uploadFailed: false },
    { ...file, uploaded: true, timeUploaded: new Date() },
  );
  return affected !== 0;
}

/** Moves a resumable upload behind a part that is stored; false when it did not stand at `start` any more. */
export async function addPart(
  manager: EntityManager,
  id: number,
  { start, size, name }: { start: number; size: number; name: string },
): Promise<boolean> {
  const { affected } = await manager.update(
    StorageEntryEntity,
    { id, size: String(start), uploaded: false, uploadFailed: false },
    { size: String(start + size), timeTouched: () => 'now()' },
  );
  if (affected === 0) return false;
  await manager.insert(StoragePartEntity, { entryId: id, start: String(start), size: String(size), name });
  return true;
}

/** Uploads show that they are alive. */
export async function touchUploads(manager: EntityManager, ids: readonly number[]): Promise<void> {
  await manager.update(StorageEntryEntity, { id: In(ids) }, { timeTouched: () => 'now()' });
}

/** Marks those of the uploads as failed that have not become files. */
export async function failUploads(manager: EntityManager, ids: readonly number[]): Promise<void> {
  await manager.update(StorageEntryEntity, { id: In(ids), uploaded: false }, { uploadFailed: true, size: '0' });
}

/** Deletes an upload unless it became a file; waits for a commit that is under way. */
export async function deleteUpload(manager: EntityManager, id: number): Promise<void> {
  await manager.delete(StorageEntryEntity, { id, uploaded: false });
}
