import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { checkModelName } from '@adit/inference';
import { FACE_GALLERY, planGalleryFolder, writeGalleryVersion, type GalleryKind } from '@adit/modules';
import { embedPhotos, type EmbeddedPhotos } from './embed-photos.js';
import { notePhotos } from './gallery-photos.js';
import { faceInference } from './photo-inference.js';
import { cliSettings, type CliSettings } from '../../settings.js';

export interface GalleryBuildOptions {
  name: string;
  dataDir?: string;
  description?: string;
  default?: boolean;
  /** Name of a network of the user's own, in place of the one that comes with Adit. */
  embedding?: string;
}

/** Embeds every photo and writes a gallery version; says which photos could not be used. */
export async function buildGallery(folder: string, options: GalleryBuildOptions): Promise<void> {
  // Before any photo is looked at, which takes its time.
  checkModelName(options.name, FACE_GALLERY.noun);
  const planned = await planGalleryFolder(folder);
  const settings = cliSettings(options.dataDir);
  const photos = await embedPhotos(folder, planned, faceInference(options.embedding), settings);
  await writeVersion(photos, FACE_GALLERY, options, settings, 'people');
  await notePhotos(settings.userModels, options.name, resolve(folder));
}

/** Writes what the photos gave as the next version, and says so; `things` is what it calls them. */
export async function writeVersion(
  { people, network, used, total }: EmbeddedPhotos,
  kind: GalleryKind,
  options: GalleryBuildOptions,
  { userModels }: CliSettings,
  things: string,
): Promise<void> {
  if (people.length === 0) throw new AditError('MEDIA_INVALID', kind.nothing);
  await mkdir(userModels, { recursive: true });
  const written = await writeGalleryVersion(userModels, options.name, people, {
    kind,
    embedding: network,
    dimensions: people[0]?.embeddings[0]?.length ?? 0,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.default === undefined ? {} : { isDefault: options.default }),
  });
  process.stdout.write(
    `${written.name} version ${written.version}: ${written.people} ${things} from ${used} of ${total} photos, in ${written.folder}\n`,
  );
}
