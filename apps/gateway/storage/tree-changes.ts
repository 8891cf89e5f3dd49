import { parse } from 'node:path';
import { AditError } from '@adit/contracts';
import { heldBack, StorageEntryEntity } from '@adit/database';
import { baseOf, filesInUse, pathOf, type Place } from '@adit/storage';
import type { EntityManager } from 'typeorm';
import { presentEntry } from './present-entry.js';

/**
 * Frees a name for a file: removes failed uploads of that name, and the file that has it when it is to be replaced.
 * Throws CONFLICT when the name belongs to a folder, or to a file that stays or that a job still needs.
 */
export async function freeName(
  manager: EntityManager,
  { workspaceId, folder, name }: Place,
  replaces: boolean,
  ownId: number | null = null,
): Promise<StorageEntryEntity[]> {
  const path = pathOf({ folder, name });
  if (await manager.existsBy(StorageEntryEntity, { workspaceId, name: path, isFolder: true })) {
    throw new AditError('CONFLICT', `${path} is a folder; give the file another name.`);
  }
  const namesakes = await manager.findBy(StorageEntryEntity, { workspaceId, folder, name, isFolder: false });
  const others = namesakes.filter(({ id, uploaded, uploadFailed }) => id !== ownId && (uploaded || uploadFailed));
  const file = others.find(({ uploaded }) => uploaded);
  if (file !== undefined && !replaces) {
    const message = `${path} is there already (entry ${file.id}). Give the file another name, delete the one that is there, or send if_exists=replace or if_exists=rename.`;
    throw new AditError('CONFLICT', message, {
      errors: [{ pointer: '?name', code: 'exists', message, existing: presentEntry(file) }],
    });
  }
  await refuseUsed(manager, workspaceId, others);
  return others;
}

/** The name itself, or the first of `film (1).mp4`, `film (2).mp4` … that neither a file nor an upload under way has. */
export async function nextName(
  manager: EntityManager,
  { workspaceId, folder, name }: Place,
  ownId: number | null = null,
): Promise<string> {
  const { name: stem, ext } = parse(name);
  const rows = await manager
    .createQueryBuilder(StorageEntryEntity, 'e')
    .select(['e.id', 'e.name'])
    .where('e.workspaceId = :workspaceId AND e.folder = :folder AND NOT e.uploadFailed', { workspaceId, folder })
    .andWhere('(e.name = :name OR starts_with(e.name, :stem) OR e.isFolder)', { name, stem: stem.slice(0, 200) })
    .getMany();
  // A folder's name is its whole path.
  const taken = new Set(rows.filter(({ id }) => id !== ownId).map((row) => baseOf(row.name)));
  let free = name;
  for (let count = 1; taken.has(free); count++) free = `${stem.slice(0, 200)} (${count})${ext.slice(0, 40)}`;
  return free;
}

/** Throws CONFLICT when a job that has not ended, a legal hold or an image of a dataset still needs one of the files. */
export async function refuseUsed(
  manager: EntityManager,
  workspaceId: string,
  files: readonly Pick<StorageEntryEntity, 'key'>[],
): Promise<void> {
  const keys = files.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return;
  const [use] = await filesInUse(manager, workspaceId, keys);
  if (use === undefined) return;
  const { kind, key, id, of } = use;
  switch (kind) {
    case 'job':
      throw new AditError('CONFLICT', `Job ${id} still needs storage://${key}; stop or delete it first.`);
    case 'held_job':
      throw heldBack(`The job ${id}, which has mined storage://${key},`, of);
    case 'dataset_image':
      throw new AditError(
        'CONFLICT',
        `The image ${id} of the dataset ${of} shows storage://${key}; delete that first.`,
      );
  }
}
