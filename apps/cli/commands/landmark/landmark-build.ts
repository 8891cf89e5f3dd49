import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AditError, type Landmark } from '@adit/contracts';
import {
  checkPlacesSize,
  LANDMARK_MODEL,
  planGalleryFolder,
  readPlaces,
  type PlaceRow,
  type PlannedPerson,
} from '@adit/modules';
import { embedPhotos } from '../gallery/embed-photos.js';
import { checkModelName } from '@adit/inference';
import { writeVersion, type GalleryBuildOptions } from '../gallery/gallery-build.js';
import { notePhotos } from '../gallery/gallery-photos.js';
import { placeInference } from '../gallery/photo-inference.js';
import { cliSettings } from '../../settings.js';
import { printable } from '../../output/text-table.js';

export interface LandmarkBuildOptions extends GalleryBuildOptions {
  /** Path of the file of places. */
  csv: string;
}

/** Embeds every photo and writes a version of a landmark model; what each landmark is stands in the CSV. */
export async function buildLandmarks(folder: string, options: LandmarkBuildOptions): Promise<void> {
  checkModelName(options.name, LANDMARK_MODEL.noun);
  const places = await readCsv(options.csv);
  const planned = await planGalleryFolder(folder);
  checkPlaces(planned, places, options.csv);
  await writeLandmarks(folder, planned, new Map(places.map(({ name, landmark }) => [name, landmark])), options);
}

/** Embeds the photos and writes a version; `landmarkOf` says by label what each landmark is. */
export async function writeLandmarks(
  folder: string,
  planned: PlannedPerson[],
  landmarkOf: ReadonlyMap<string, Landmark | undefined>,
  options: GalleryBuildOptions,
): Promise<void> {
  const settings = cliSettings(options.dataDir);
  const photos = await embedPhotos(folder, planned, placeInference(options.embedding), settings);
  const people = photos.people.map((one) => ({ ...one, landmark: landmarkOf.get(one.label) }));
  await writeVersion({ ...photos, people }, LANDMARK_MODEL, options, settings, 'landmarks');
  await notePhotos(settings.userModels, options.name, resolve(folder));
}

async function readCsv(path: string): Promise<PlaceRow[]> {
  const unreadable = (cause: unknown): never => {
    throw new AditError('VALIDATION', `${path} cannot be read.`, { cause });
  };
  const { size } = await stat(path).catch(unreadable);
  try {
    checkPlacesSize(size);
    return await readPlaces(await readFile(path).catch(unreadable));
  } catch (error) {
    const { code, message, options } = AditError.from(error);
    throw new AditError(code, `${path}: ${message}`, options);
  }
}

/** Photos need a line; a line without photos is only said. */
function checkPlaces(planned: PlannedPerson[], places: PlaceRow[], csv: string): void {
  const named = new Set(places.map(({ name }) => name));
  const without = planned.filter(({ label }) => !named.has(label)).map(({ label }) => printable(label));
  if (without.length > 0) {
    throw new AditError(
      'VALIDATION',
      `${csv} has no line for ${without.join(', ')}: the column name has to be the name of the folder or photo.`,
    );
  }
  const shown = new Set(planned.map(({ label }) => label));
  for (const { name, line } of places) {
    if (!shown.has(name)) process.stderr.write(`! ${csv}, line ${line}: there are no photos of ${printable(name)}\n`);
  }
}
