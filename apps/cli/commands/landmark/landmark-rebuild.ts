import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { LANDMARK_MODEL, planGalleryFolder, readGallery } from '@adit/modules';
import { builtOf, ownEmbedding, type GalleryRebuildOptions } from '../gallery/gallery-rebuild.js';
import { writeLandmarks } from './landmark-build.js';
import { PLACE_NETWORK } from '../gallery/photo-inference.js';
import { printable } from '../../output/text-table.js';

/**
 * The next version of a landmark model, of the photos that it was built of, with the network of the name that made it as it is now. What
 * each landmark is, its last version says. Throws VALIDATION as `rebuildGallery`, and for photos of what that does not know.
 */
export async function rebuildLandmarks(
  name: string,
  photos: string | undefined,
  options: GalleryRebuildOptions,
): Promise<void> {
  const { folder, manifest, userModels } = await builtOf(name, photos, LANDMARK_MODEL, options);
  const last = Math.max(...Object.keys(manifest.sha256).map(Number));
  const { classes } = await readGallery(name, (file) => readFile(join(userModels, name, String(last), file)));
  const landmarkOf = new Map(classes.map(({ label, landmark }) => [label, landmark]));
  const planned = await planGalleryFolder(folder);
  const unknown = planned.filter(({ label }) => !landmarkOf.has(label)).map(({ label }) => printable(label));
  if (unknown.length > 0) {
    throw new AditError(
      'VALIDATION',
      `${name} version ${last} does not say what ${unknown.join(', ')} is: adit landmark build with a table that does.`,
    );
  }
  await writeLandmarks(folder, planned, landmarkOf, {
    ...options,
    name,
    ...ownEmbedding(manifest, PLACE_NETWORK),
  });
}
