import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { planGalleryFolder } from '@adit/modules';
import { writeZip } from '@adit/ooxml';

const PHOTO = /\.(jpe?g|png|webp)$/i;
/**
 * Files that tools write beside photos, which the import reads or refuses. The ones of Google Photos say nothing of
 * people.
 */
const LIST = /\.(json|jsonl|ndjson|xml|csv|tsv|ya?ml|names|tfrecords?|record|parquet|arrow)$|(^|\/)classes\.txt$/i;
const OF_ONE_PHOTO = /\.(jpe?g|png|webp)\.[^/]*json$/i;

interface Entry {
  /** In the archive. */
  path: string;
  file: string;
}

/**
 * Writes a folder into a zip archive: the photos of each person, or all that is there when a tool exported it or it holds folders in
 * folders, so that the import says what is a class. Throws VALIDATION for a folder that shows nobody.
 */
export async function packFolder(folder: string, archive: string): Promise<void> {
  const paths = await filesIn(folder);
  const entries = isExport(paths) ? paths.map((path) => ({ path, file: join(folder, path) })) : await people(folder);
  await pipeline(writeZip(read(entries)), createWriteStream(archive));
}

async function people(folder: string): Promise<Entry[]> {
  const planned = await planGalleryFolder(folder);
  return planned.flatMap(({ label, files }) => files.map((file) => ({ path: `${label}/${basename(file)}`, file })));
}

function isExport(paths: readonly string[]): boolean {
  if (paths.some((path) => LIST.test(path) && !OF_ONE_PHOTO.test(path))) return true;
  const photos = paths.filter((path) => PHOTO.test(path)).map((path) => path.split('/'));
  const withPhotos = new Set(photos.filter((parts) => parts.length === 2).map(([name]) => name));
  return photos.some(([name, ...inside]) => inside.length > 1 && !withPhotos.has(name));
}

/** Paths of files below a folder, sorted, without hidden ones and without links. */
async function filesIn(folder: string, below = ''): Promise<string[]> {
  const paths: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await filesIn(folder, path)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}

/** One file is open at a time. */
function* read(entries: readonly Entry[]) {
  for (const { path, file } of entries) yield { path, body: createReadStream(file), compress: LIST.test(path) };
}
