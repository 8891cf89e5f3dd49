import { parse } from 'node:path';
import { AditError } from '@adit/contracts';
import { isLive, StorageEntryEntity } from '@adit/database';
import { baseOf, pathOf, type Place } from '@adit/storage';
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

/** Throws CONFLICT when a job that has not ended, or an image of a dataset, still needs one of the files. */
export async function refuseUsed(
  manager: EntityManager,
  workspaceId: string,
  files: readonly Pick<StorageEntryEntity, 'key'>[],
): Promise<void> {
  const keys = files.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return;
  const used: { id: string; uri: string }[] = await manager.query(
    `SELECT j.id, s.uri FROM job_sources s JOIN jobs j ON j.id = s.job_id
      WHERE j.workspace_id = $1 AND ${isLive('j')}
        AND lower(left(s.uri, 10)) = 'storage://' AND substr(s.uri, 11) = ANY($2)
      LIMIT 1`,
    [workspaceId, keys],
  );
  const [first] = used;
  if (first !== undefined) {
    throw new AditError('CONFLICT', `Job ${first.id} still needs ${first.uri}; stop or delete it first.`);
  }
  const [shown]: { id: string; dataset: string; key: string }[] = await manager.query(
    `SELECT i.id, i.dataset_id AS dataset, i.storage_key AS key
       FROM dataset_images i JOIN dataset_classes c ON c.id = i.class_id JOIN datasets d ON d.id = i.dataset_id
      WHERE i.workspace_id = $1 AND i.storage_key = ANY($2) AND c.time_deleted IS NULL AND d.time_deleted IS NULL
      LIMIT 1`,
    [workspaceId, keys],
  );
  if (shown !== undefined) {
    throw new AditError(
      'CONFLICT',
      `The image ${shown.id} of the dataset ${shown.dataset} shows storage://${shown.key}; delete that first.`,
    );
  }
}
