import { AditError } from '@adit/contracts';

/** The last segment of a file's object key. Throws NOT_FOUND for a folder, which has none. */
export function keyOfFile({ key, name }: { key: string | null; name: string }): string {
  if (key === null) throw new AditError('NOT_FOUND', `${name} is a folder.`);
  return key;
}

export function storageObjectKey(workspaceId: string, storageKey: string): string {
  return `storage/${workspaceId}/${storageKey}`;
}

/** A part of a file that was uploaded in parts. */
export function storagePartKey(workspaceId: string, storageKey: string, name: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/parts/${name}`;
}

export function storageThumbnailKey(workspaceId: string, storageKey: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/thumbnail`;
}
