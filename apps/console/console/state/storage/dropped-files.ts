import { isJunk } from '../../model/folders.js';

/** A file, and its path in what it was dropped with. */
export interface DroppedFile {
  file: File;
  path: string;
}

/** Files that are taken at once. */
export const MOST_FILES = 10_000;

/** The files that were chosen; those of a folder with their path in it. */
export function chosenFiles(list: FileList | null): DroppedFile[] {
  return [...(list ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ file }) => !isJunk(file.name))
    .slice(0, MOST_FILES + 1);
}

/** The files of what was dropped, folders with all that is in them; one more than MOST_FILES at the most. */
export async function droppedFiles(items: DataTransferItemList | undefined): Promise<DroppedFile[]> {
  // What was dropped is there until the event is over: all entries are taken before the first is read.
  const entries = [...(items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: DroppedFile[] = [];
  const take = async (entry: FileSystemEntry): Promise<void> => {
    if (found.length > MOST_FILES || isJunk(entry.name)) return;
    if (isFolder(entry)) for (const each of await entriesOf(entry)) await take(each);
    else if (isFile(entry)) found.push({ file: await fileOf(entry), path: entry.fullPath });
  };
  for (const entry of entries) await take(entry);
  return found;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Browsers tell a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0 || all.length > MOST_FILES) return all;
    all.push(...some);
  }
}
