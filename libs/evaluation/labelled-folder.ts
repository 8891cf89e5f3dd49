import { opendir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { AditError } from '@adit/contracts';
import { isPictureName } from '@adit/media';
import { readCocoList } from './coco-list.js';
import { checkSet, type LabelledPicture, type LabelledSet } from './labelled-set.js';

/** Limit of files and folders below the given one. */
const MAX_ENTRIES = 200_000;
/** Roboflow exports lists of this name in a folder per part of a data set. */
const ROBOFLOW = '_annotations.coco.json';

/**
 * Reads labelled pictures of this machine: those of a list in COCO's format, beside or below it, or a folder with a
 * folder of pictures per label. Throws VALIDATION for a folder of several lists or without a labelled picture,
 * MEDIA_INVALID for a damaged list, TOO_LARGE.
 */
export async function readLabelledFolder(given: string): Promise<LabelledSet> {
  const path = resolve(given);
  const isFolder = (await stat(path)).isDirectory();
  const root = isFolder ? path : basename(dirname(path)) === 'annotations' ? dirname(dirname(path)) : dirname(path);
  const files = await filesBelow(root);
  if (!isFolder) {
    const listed = await listedPictures(path, root, files);
    if (listed === null) throw new AditError('VALIDATION', `${given} is no list in COCO's format.`);
    return checkSet(listed);
  }
  const lists: LabelledSet[] = [];
  for (const file of files.filter((name) => /^(annotations\/)?[^/]+\.json$/i.test(name))) {
    const listed = await listedPictures(join(root, file), root, files);
    if (listed !== null) lists.push(listed);
  }
  const [list, another] = lists;
  if (another !== undefined) {
    const named = lists.map(({ title }) => title).join(', ');
    throw new AditError('VALIDATION', `${given} has several lists: name the one that is meant (${named}).`);
  }
  if (list !== undefined) return checkSet(list);
  const parts = files.filter((name) => name.endsWith(`/${ROBOFLOW}`)).map(dirname);
  if (parts.length > 0) {
    throw new AditError(
      'VALIDATION',
      `${given} has a list in each of ${parts.join(', ')}: name the folder that is meant.`,
    );
  }
  return checkSet(byFolder(given, root, files));
}

async function listedPictures(list: string, root: string, files: readonly string[]): Promise<LabelledSet | null> {
  const read = await readCocoList(list);
  if (read === null) return null;
  const find = locator(relative(root, dirname(list)).split(sep).join('/'), files);
  const pictures: LabelledPicture[] = [];
  const missing: string[] = [];
  for (const picture of read.pictures) {
    const file = find(picture.name);
    if (file === null) missing.push(picture.name);
    else pictures.push({ ...picture, place: { path: join(root, file) } });
  }
  return { title: list, pictures, labels: read.labels, missing };
}

/**
 * Returns a function that locates a list's picture: beside the list, relative to the given folder, or anywhere below
 * where its name is unique. Only files found below the folder are returned, so no name leads out of it.
 */
function locator(beside: string, files: readonly string[]): (name: string) => string | null {
  const known = new Set(files);
  const byName = new Map<string, string[]>();
  for (const file of files) {
    const name = basename(file);
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [file]);
    else same.push(file);
  }
  return (given) => {
    const name = given.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
    const places = [beside === '' ? name : `${beside}/${name}`, name];
    const found = places.find((place) => known.has(place));
    if (found !== undefined) return found;
    const below = (byName.get(basename(name)) ?? []).filter((file) => file.endsWith(`/${name}`));
    return below.length === 1 ? (below[0] ?? null) : null;
  };
}

/** The first folder below is the label. */
function byFolder(given: string, root: string, files: readonly string[]): LabelledSet {
  const pictures = files.flatMap((file): LabelledPicture[] => {
    const [label, ...rest] = file.split('/');
    if (label === undefined || rest.length === 0 || !isPictureName(file)) return [];
    return [{ name: file, place: { path: join(root, file) }, labels: [label], boxes: null, size: null }];
  });
  const labels = [...new Set(pictures.flatMap((picture) => picture.labels))];
  return { title: given, pictures, labels, missing: [] };
}

/** Lists files below a folder, relative to it with `/`, in order, without hidden ones; links to files are followed. */
async function filesBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  let entries = 0;
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(join(root, folder))) {
      if (++entries > MAX_ENTRIES) {
        throw new AditError('TOO_LARGE', `${root} has more than ${MAX_ENTRIES} files and folders.`);
      }
      if (entry.name.startsWith('.')) continue;
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(name);
    }
  };
  await walk('');
  return found.sort();
}
