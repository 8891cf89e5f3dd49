import { AditError } from '@adit/contracts';
import { inTimeSlices } from '@adit/runtime';
import { ClassFolders } from './class-folders.js';
import { kindOf } from './file-kinds.js';
import type { FileTree, TreeFile } from './file-tree.js';
import type { ImportFault, ImportItem, ImportSource, Said } from './import-item.js';
import { matchPictures, type ListedPictures } from './listed-pictures.js';
import { readLists, type UnreadList } from './lists/read-lists.js';
import { YoloFiles } from './lists/yolo.js';
import { PictureNames } from './picture-names.js';

const NOT_LISTED: ImportFault = { code: 'not_listed', message: 'No list of the archive names it.' };
const MISSING: ImportFault = { code: 'missing', message: 'It is not there, though its list names it.' };

/** Classifies each file; null for one that the import ignores. */
type Reader = (file: PlacedFile) => Said | null;
type PlacedFile = Pick<TreeFile, 'path' | 'fault'>;

/**
 * Pictures in folders of classes, or with lists of labels, wherever these are. Throws MEDIA_INVALID where classes are
 * ambiguous, or a list is unsupported; TOO_LARGE beyond the limits.
 */
export async function treeSource(tree: FileTree): Promise<ImportSource> {
  const found = await survey(tree);
  const lists = await readLists(found);
  const listed = 'read' in lists ? await inTimeSlices(matchPictures(lists.read, found.names)) : null;
  if (listed !== null) refuseWithoutPictures(tree, found, listed, 'read' in lists ? (lists.read[0]?.path ?? '') : '');
  const read = listed === null ? byFolders(found, 'unread' in lists ? lists.unread : []) : byLists(listed);
  const missing = listed?.missing ?? [];
  const files = missing.length + (await inTimeSlices(counted(found.files, read)));
  if (files === 0 && (listed === null || listed.classes.length === 0)) throw nothing(tree);
  return {
    files,
    classes: listed?.classes ?? [],
    type: listed?.type ?? null,
    items: (cursor) => itemsOf(tree, read, missing, cursor === null ? -1 : Number(cursor)),
  };
}

function* counted(files: readonly PlacedFile[], read: Reader): Generator<void, number> {
  let count = 0;
  for (const file of files) {
    if (read(file) !== null) count += 1;
    yield;
  }
  return count;
}

function nothing(tree: FileTree): AditError {
  return new AditError('MEDIA_INVALID', `There is no picture in ${tree.what}.`);
}

interface Found {
  lists: TreeFile[];
  yolo: YoloFiles;
  names: PictureNames;
  /** Paths of pictures; of all candidates where none has a picture's name. */
  pictures: string[];
  files: PlacedFile[];
}

async function survey(tree: FileTree): Promise<Found> {
  const found: Found = { lists: [], yolo: new YoloFiles(), names: new PictureNames(), pictures: [], files: [] };
  const others: string[] = [];
  let bytes = 0;
  for await (const file of tree.files(-1)) {
    const { path, fault, size } = file;
    const kind = kindOf(path);
    found.files.push({ path, fault });
    if (kind !== 'list' && kind !== 'document') bytes += size;
    tree.refuseMore(found.files.length, bytes);
    if (fault !== null) continue;
    if (kind === 'list') found.lists.push(file);
    if (kind === 'document') found.yolo.note(file);
    if (kind === 'picture' || kind === 'other') found.names.note(path);
    if (kind === 'picture') found.pictures.push(path);
    if (kind === 'other') others.push(path);
  }
  return found.pictures.length > 0 ? found : { ...found, pictures: others };
}

/** Throws MEDIA_INVALID for lists of pictures that are elsewhere. */
function refuseWithoutPictures(tree: FileTree, { pictures }: Found, { missing }: ListedPictures, path: string): void {
  const [first] = missing;
  if (pictures.length > 0 || first === undefined) return;
  throw new AditError(
    'MEDIA_INVALID',
    `${path} names ${missing.length} pictures, such as ${first.slice(0, 200)}, and none is in ${tree.what}: export it with its pictures.`,
  );
}

function byLists({ said }: ListedPictures): Reader {
  return ({ path, fault }) => {
    const kind = kindOf(path);
    if (kind === 'list' || kind === 'document') return null;
    return fault === null ? (said.get(path) ?? { fault: NOT_LISTED }) : { fault };
  };
}

/** Throws MEDIA_INVALID where a list may contain more than the folders. */
function byFolders({ pictures, files }: Found, unread: readonly UnreadList[]): Reader {
  const folders = new ClassFolders();
  const [list] = unread;
  if (list !== undefined && pictures.length === 0) throw list.error;
  for (const path of pictures.length > 0 ? pictures : files.map((file) => file.path)) folders.note(path);
  const count = folders.decide();
  // A single folder may be a class, or the folder of an export.
  if (list !== undefined && count < 2) throw list.error;
  const notRead = new Map(unread.map(({ path, error }) => [path, error.message]));
  return ({ path, fault }) => {
    if (fault !== null) return { fault };
    const said = folders.of(path);
    if (!('fault' in said)) return said;
    const message = notRead.get(path);
    if (message !== undefined) return { fault: { code: 'not_read', message } };
    return kindOf(path) === 'document' ? null : said;
  };
}

/** Yields files by cursor, followed by missing pictures. */
async function* itemsOf(
  tree: FileTree,
  read: Reader,
  missing: readonly string[],
  after: number,
): AsyncGenerator<ImportItem> {
  for await (const file of tree.files(after)) {
    const said = read(file);
    if (said === null) continue;
    const { cursor, name, picture } = file;
    yield { cursor: String(cursor), name, what: 'fault' in said ? said : { ...said, file: picture } };
  }
  for (const [at, name] of missing.entries()) {
    const cursor = tree.end + at;
    if (cursor > after) yield { cursor: String(cursor), name, what: { fault: MISSING } };
  }
}
