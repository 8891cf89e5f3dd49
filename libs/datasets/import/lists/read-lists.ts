import { AditError } from '@adit/contracts';
import { inTimeSlices } from '@adit/runtime';
import type { TreeFile } from '../file-tree.js';
import type { FoundList } from '../listed-pictures.js';
import { MAX_MANIFEST_BYTES } from '../manifest.js';
import { KINDS, openList, type ListKind, type OpenedList } from './kinds.js';
import { refusal, refusedByPath, unreadByPath, type RefusedList } from './refused-lists.js';
import { refuseLongLists } from './text-list.js';
import type { YoloFiles } from './yolo.js';

/** Lists of an archive: the ones that were read, or why there are none. */
export type ReadLists = { read: FoundList[] } | { unread: UnreadList[] };

/** A list of an unsupported kind. */
export interface UnreadList {
  path: string;
  error: AditError;
}

/** Files that may label pictures. */
export interface ListFiles {
  lists: readonly TreeFile[];
  yolo: YoloFiles;
  pictures: readonly string[];
  /** All files. */
  files: readonly { path: string }[];
}

/**
 * Reads the lists of an archive wherever they are, all of one kind. Throws MEDIA_INVALID for an invalid one, or one of
 * a known but unsupported tool; TOO_LARGE beyond the limits.
 */
export async function readLists({ lists, yolo, pictures, files }: ListFiles): Promise<ReadLists> {
  refuseLongLists(lists.filter(({ path }) => isText(path)).map(({ size }) => size));
  const unread: UnreadList[] = [];
  const refused: [path: string, list: RefusedList][] = [];
  const kinds = new Map<ListKind, { path: string; read: Reading }[]>();
  for (const file of lists) {
    const opened = await open(file);
    if ('kind' in opened)
      kinds.set(opened.kind, [...(kinds.get(opened.kind) ?? []), { path: file.path, read: opened.read }]);
    else if ('refused' in opened) refused.push([file.path, opened.refused]);
    else unread.push({ path: file.path, error: errorOf(file.path, opened.unknown) });
  }
  const kind = KINDS.find((one) => kinds.has(one));
  if (kind !== undefined) {
    const read: FoundList[] = [];
    for (const list of kinds.get(kind) ?? []) read.push({ path: list.path, manifest: await inTimeSlices(list.read()) });
    return { read };
  }
  const pairs = await yolo.pairs(pictures);
  if (pairs !== null) return { read: [{ path: '', manifest: await yolo.read(pairs) }] };
  for (const { path } of files) {
    const known = refusedByPath(path);
    if (known !== null) refused.push([path, known]);
  }
  const [first] = refused;
  if (first !== undefined) throw refusal(...first);
  return { unread };
}

type Reading = Extract<OpenedList, { kind: ListKind }>['read'];

function isText(path: string): boolean {
  return /\.(json|xml|csv|tsv)$/i.test(path);
}

async function open(file: TreeFile): Promise<OpenedList> {
  if (file.fault !== null || !isText(file.path)) return { unknown: null };
  try {
    return await openList(file.path, await file.read(MAX_MANIFEST_BYTES));
  } catch (error) {
    if (error instanceof AditError && error.code === 'MEDIA_INVALID')
      return { unknown: `${file.path}: ${error.message}` };
    throw error;
  }
}

function errorOf(path: string, why: string | null): AditError {
  const known = unreadByPath(path);
  if (known !== null) return refusal(path, known);
  const instead = 'export COCO with its pictures, or take the list out when the folders are the classes';
  return new AditError('MEDIA_INVALID', why ?? `${path} is a list that is not read here: ${instead}.`);
}
