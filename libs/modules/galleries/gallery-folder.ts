import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { AditError } from '@adit/contracts';

const PHOTO = /^\.(jpe?g|png)$/i;

/** A person or a place, and the photos that show it. */
export interface PlannedPerson {
  label: string;
  /** Absolute real paths, sorted. */
  files: string[];
}

/**
 * Reads people or places from a folder: `DIR/<label>/*.jpg|jpeg|png`, or `DIR/<label>.jpg` for a single photo; the
 * folder's or file's name is the label. Hidden files and other formats are skipped. Throws VALIDATION, naming the
 * place, for an empty folder, a label without a photo, or a link that leads out of the folder.
 */
export async function planGalleryFolder(dir: string): Promise<PlannedPerson[]> {
  // eslint-disable-next-line adit/no-lost-errors -- whyever it cannot be read, it is no folder of photos
  const root = await realpath(dir).catch(() => null);
  if (root === null || !(await stat(root)).isDirectory()) throw new AditError('VALIDATION', `${dir} is not a folder.`);
  const people = new Map<string, string[]>();
  const add = (name: string, files: string[]) => {
    const label = name.normalize('NFC').trim();
    people.set(label, [...(people.get(label) ?? []), ...files]);
  };
  for (const name of await visible(root)) {
    const path = await inside(root, join(root, name));
    if ((await stat(path)).isDirectory()) {
      const photos = (await visible(path)).filter((file) => PHOTO.test(extname(file)));
      if (photos.length === 0) throw new AditError('VALIDATION', `${path} has no photos: put JPEG or PNG files there.`);
      add(name, await Promise.all(photos.map((file) => inside(root, join(path, file)))));
    } else if (PHOTO.test(extname(name))) {
      add(name.slice(0, -extname(name).length), [path]);
    }
  }
  if (people.size === 0) {
    throw new AditError(
      'VALIDATION',
      `${dir} shows nobody: make a folder of photos for each person, or one photo named after each.`,
    );
  }
  return [...people]
    .map(([label, files]) => ({ label, files: files.sort() }))
    .sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
}

async function visible(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
}

/** Resolves a path and refuses it outside of the folder, so that a link cannot include other files. */
async function inside(root: string, path: string): Promise<string> {
  const real = await realpath(path).catch(() => {
    throw new AditError('VALIDATION', `${path} is a link that leads nowhere.`);
  });
  const way = relative(root, real);
  if (way === '..' || way.startsWith(`..${sep}`)) {
    throw new AditError('VALIDATION', `${path} leads out of ${root}: copy the photos into the folder.`);
  }
  return real;
}
