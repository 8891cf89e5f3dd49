import { basename, extname } from 'node:path/posix';

const PICTURE = /^\.(jpe?g|jpe|jfif|png|webp|gif|bmp|tiff?|hei[cf]|avif|jp2)$/i;
const DOCUMENT =
  /^\.(txt|md|rst|html?|css|js|pdf|docx?|odt|rtf|xlsx?|ods|log|py|ipynb|sh|sha256|md5|ya?ml|names|data|labels)$/i;
const LIST =
  /^\.(json|jsonl|ndjson|xml|csv|tsv|tfrecords?|record|pbtxt|parquet|arrow|feather|mat|pkl|npz|npy|h5|hdf5|mdb|db|sqlite3?)$/i;
const README = /^(readme|licen[cs]e|notice|copying|changelog|version|authors)$/i;

/** Kind of a file by its name; `other` may be a picture without an extension, or anything. */
export type FileKind = 'picture' | 'list' | 'document' | 'archive' | 'other';

export function kindOf(path: string): FileKind {
  const end = extname(path);
  if (PICTURE.test(end)) return 'picture';
  if (LIST.test(end)) return 'list';
  if (DOCUMENT.test(end) || README.test(basename(path))) return 'document';
  return /^\.zip$/i.test(end) ? 'archive' : 'other';
}

/** Returns the folders of a path. */
export function foldersOf(path: string): string[] {
  return path.split('/').slice(0, -1);
}

const PARTS: readonly [RegExp, string][] = [
  [/^train(ing)?((19|20)\d\d)?$/i, 'train'],
  [/^(valid(ation)?|val(19|20)\d\d)$/i, 'valid'],
  [/^test(ing)?((19|20)\d\d)?$/i, 'test'],
  // Lower case only, since Val and Dev are people.
  [/^(val|dev)$/, 'valid'],
];

/** Returns the part of a dataset that a folder stands for: 'train', 'valid' or 'test'; null for any other folder. */
export function partOf(folder: string): string | null {
  return PARTS.find(([pattern]) => pattern.test(folder))?.[1] ?? null;
}

/** Folders that tools create for pictures and annotations. */
const STORES =
  /^(images?|imgs?|img\d|image_\d|jpegimages|pictures|photos|pics|data|datasets?|default|media|uploads?|frames|labels?|annotations?|obj_\w+_data|segmentation(class|object)|imagesets)$/i;

/** Tests for a folder name that tools use, and no class. */
export function isStructural(folder: string): boolean {
  // Ann is a person.
  return STORES.test(folder) || folder === 'ann' || partOf(folder) !== null;
}
