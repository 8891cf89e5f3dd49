import { SingleBar } from 'cli-progress';
import { relative } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { AditError, ModelManifest } from '@adit/contracts';
import { planGalleryFolder, writeGalleryVersion, type GalleryPerson } from '@adit/modules';
import { openPhotoEmbedder, type PhotoOutcome } from './photo-embedder.js';
import { cliSettings } from './settings.js';
import { printable } from './text-table.js';

export interface GalleryBuildOptions {
  name: string;
  dataDir?: string;
  description?: string;
  default?: boolean;
}

/** Embeds every photo and writes a gallery version; says which photos could not be used. */
export async function buildGallery(folder: string, options: GalleryBuildOptions): Promise<void> {
  if (!ModelManifest.shape.name.safeParse(options.name).success) {
    throw new AditError(
      'VALIDATION',
      `${options.name} is no name for a gallery: use letters, digits, dots, dashes, underscores.`,
    );
  }
  const planned = await planGalleryFolder(folder);
  const settings = cliSettings(options.dataDir);
  const embedder = await openPhotoEmbedder(settings);
  const total = planned.reduce((sum, { files }) => sum + files.length, 0);
  const bar = new SingleBar({
    format: '{bar} {value} of {total} photos',
    barsize: 32,
    stream: process.stderr,
    hideCursor: true,
  });
  const remarks: string[] = [];
  const people: GalleryPerson[] = [];
  let used = 0;
  try {
    if (process.stderr.isTTY) bar.start(total, 0);
    for (const { label, files } of planned) {
      const embeddings: Float32Array[] = [];
      for (const file of files) {
        const outcome = await embedder.embed(file);
        if (outcome.embedding !== null) embeddings.push(outcome.embedding);
        const remark = remarkOf(outcome);
        if (remark !== null) remarks.push(`${printable(relative(folder, file) || file)}: ${remark}`);
        bar.increment();
      }
      used += embeddings.length;
      if (embeddings.length > 0) people.push({ label, embeddings });
      else remarks.push(`${printable(label)} is left out: no photo of theirs can be used`);
    }
  } finally {
    bar.stop();
    await embedder.close();
  }
  for (const remark of remarks) process.stderr.write(`! ${remark}\n`);
  if (people.length === 0)
    throw new AditError('MEDIA_INVALID', 'No photo shows a face that can be used: nothing was made.');
  await mkdir(settings.userModels, { recursive: true });
  const written = await writeGalleryVersion(settings.userModels, options.name, people, {
    embedding: embedder.network,
    dimensions: people[0]?.embeddings[0]?.length ?? 0,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.default === undefined ? {} : { isDefault: options.default }),
  });
  process.stdout.write(
    `${written.name} version ${written.version}: ${written.people} people from ${used} of ${total} photos, in ${written.folder}\n`,
  );
}

function remarkOf(outcome: PhotoOutcome): string | null {
  if (outcome.error !== null) return `not used: ${outcome.error}`;
  if (outcome.faces === 0) return 'not used: no face found';
  if (outcome.embedding === null) return 'not used: the face is too small or turned away';
  return outcome.faces > 1 ? `${outcome.faces} faces, took the largest` : null;
}
