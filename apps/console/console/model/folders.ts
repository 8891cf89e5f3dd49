/** A folder in the storage as the address has it. */
export function storageAddress(folder: string): string {
  return folder === '/' ? '#/storage' : `#/storage?${new URLSearchParams({ folder }).toString()}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `/a/b` gives those on the way to it, itself included, without the root: `/a`, `/a/b`. */
export function foldersTo(folder: string): string[] {
  const parts = folder.split('/').filter((part) => part !== '');
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** The place of a file that was dropped on `folder`, by its path in what was dropped: `shots/day 1/a.mxf`. */
export function placeIn(folder: string, path: string): { folder: string; name: string } {
  const parts = [...folder.split('/'), ...path.split('/')].filter((part) => part !== '');
  const name = parts.pop() ?? '';
  return { folder: `/${parts.join('/')}`, name };
}

/** Files that systems put into folders, and nobody means to send. */
const JUNK = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

export function isJunk(name: string): boolean {
  return JUNK.has(name) || name.startsWith('._');
}
