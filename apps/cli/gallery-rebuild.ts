import { AditError } from '@adit/contracts';
import { checkModelName, readManifest } from '@adit/inference';
import { FACE_GALLERY } from '@adit/modules';
import { buildGallery } from './gallery-build.js';
import { notedPhotos } from './gallery-photos.js';
import { FACE_LOOK_NETWORK } from './photo-looks.js';
import { cliSettings } from './settings.js';

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
  checkModelName(name, FACE_GALLERY.noun);
  const { userModels } = cliSettings(options.dataDir);
  const manifest = await readManifest(userModels, name);
  if (manifest?.kind !== 'gallery' || manifest.task !== FACE_GALLERY.task) {
    throw new AditError(
      'VALIDATION',
      `${name} is no face gallery in ${userModels}. One that was trained with a dataset is trained again: adit train DATASET --name ${name}.`,
    );
  }
  const folder = photos ?? (await notedPhotos(userModels, name));
  if (folder === null) {
    throw new AditError(
      'VALIDATION',
      `Nothing says where the photos of ${name} are: adit gallery rebuild ${name} PHOTOS.`,
    );
  }
  const { embedding } = manifest;
  const own = embedding === undefined || embedding === FACE_LOOK_NETWORK;
  await buildGallery(folder, { ...options, name, ...(own ? {} : { embedding }) });
}
