export function storageObjectKey(workspaceId: string, storageKey: string): string {
  return `storage/${workspaceId}/${storageKey}`;
}

/** A stretch of a file that was uploaded in parts. */
export function storagePartKey(workspaceId: string, storageKey: string, name: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/parts/${name}`;
}

export function storageThumbnailKey(workspaceId: string, storageKey: string): string {
  return `${storageObjectKey(workspaceId, storageKey)}/thumbnail`;
}
