import { AditError, type ModelManifest } from '@adit/contracts';
import { checkModelName, readManifest } from '@adit/inference';
import { FACE_GALLERY, type GalleryKind } from '@adit/modules';
import { buildGallery } from './gallery-build.js';
import { notedPhotos } from './gallery-photos.js';
import { FACE_NETWORK } from './photo-inference.js';
import { cliSettings } from '../../settings.js';

export interface GalleryRebuildOptions {
  dataDir?: string;
}

/**
 * The next version of a gallery, of the photos that it was built of, with the network of the name that made it as it is now. Throws
 * VALIDATION when there is no such gallery here, or nothing says where its photos are.
 */
export async function rebuildGallery(
  name: string,
  photos: string | undefined,
  options: GalleryRebuildOptions,
): Promise<void> {
  const { folder, manifest } = await builtOf(name, photos, FACE_GALLERY, options);
  await buildGallery(folder, { ...options, name, ...ownEmbedding(manifest, FACE_NETWORK) });
}

/** Returns the photos that a gallery was built of; throws like `rebuildGallery`. */
export async function builtOf(
  name: string,
  photos: string | undefined,
  { task, noun, command }: GalleryKind,
  { dataDir }: GalleryRebuildOptions,
): Promise<{ folder: string; manifest: ModelManifest; userModels: string }> {
  checkModelName(name, noun);
  const { userModels } = cliSettings(dataDir);
  const manifest = await readManifest(userModels, name);
  if (manifest?.kind !== 'gallery' || manifest.task !== task) {
    throw new AditError(
      'VALIDATION',
      `${name} is no ${noun} in ${userModels}. One that was trained with a dataset is trained again: adit train DATASET --name ${name}.`,
    );
  }
  const folder = photos ?? (await notedPhotos(userModels, name));
  if (folder === null) {
    throw new AditError('VALIDATION', `Nothing says where the photos of ${name} are: ${command} ${name} PHOTOS.`);
  }
  return { folder, manifest, userModels };
}

/** The option that names the network of somebody's own that made a gallery. */
export function ownEmbedding({ embedding }: ModelManifest, network: string): { embedding?: string } {
  return embedding === undefined || embedding === network ? {} : { embedding };
}
