/** Returns the key behind `storage://`; null for another address. */
export function storageKeyOf(uri: string): string | null {
  return /^storage:\/\/([A-Za-z0-9_-]{1,64})$/i.exec(uri)?.[1] ?? null;
}
