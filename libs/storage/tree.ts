import { AditError } from '@adit/contracts';
import { StorageEntryEntity, WorkspaceEntity } from '@adit/database';
import { In, type EntityManager } from 'typeorm';
import { parentOf, pathsTo } from './names.js';

/** Where a file lies. */
export interface Place {
  workspaceId: string;
  folder: string;
  name: string;
}

/**
 * One change of a workspace's tree at a time, so that a folder is made once and a name is given once. Throws NOT_FOUND where
 * the workspace was erased since the request began: nothing may be written behind who erases it.
 */
export async function lockTree(manager: EntityManager, workspaceId: string): Promise<void> {
  const row = await manager.findOne(WorkspaceEntity, {
    where: { id: workspaceId },
    lock: { mode: 'pessimistic_write' },
  });
  if (row === null || row.timeDeleted !== null) throw new AditError('NOT_FOUND', 'This workspace was erased.');
}

/** Makes the folder and those above it that are missing. Throws CONFLICT when a file is in the way. */
export async function makeFolders(manager: EntityManager, workspaceId: string, folder: string): Promise<void> {
  const paths = pathsTo(folder);
  if (paths.length === 0) return;
  const known = await manager.findBy(StorageEntryEntity, { workspaceId, name: In(paths), isFolder: true });
  const missing = paths.filter((path) => !known.some(({ name }) => name === path));
  if (missing.length === 0) return;
  const places = missing.map((path) => ({ folder: parentOf(path), name: baseOf(path) }));
  const files = await manager.findBy(
    StorageEntryEntity,
    places.map((place) => ({ workspaceId, ...place, isFolder: false, uploaded: true })),
  );
  const [file] = files;
  if (file !== undefined)
    throw new AditError('CONFLICT', `${pathOf(file)} is a file (entry ${file.id}), not a folder.`);
  await manager.insert(
    StorageEntryEntity,
    missing.map((name) => ({ workspaceId, folder: parentOf(name), name, isFolder: true, uploaded: true })),
  );
}

/** The file's whole path. */
export function pathOf({ folder, name }: Pick<Place, 'folder' | 'name'>): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** The last part of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
