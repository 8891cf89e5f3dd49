import { SingleBar } from 'cli-progress';
import { relative } from 'node:path';
import type { GalleryPerson, PlannedPerson } from '@adit/modules';
import { openPhotoEmbedder, type EmbeddingNetwork, type PhotoInference } from './photo-embedder.js';
import type { CliSettings } from '../../settings.js';
import { printable } from '../../output/text-table.js';

export interface EmbeddedPhotos {
  network: EmbeddingNetwork;
  /** People with a usable photo. */
  people: GalleryPerson[];
  used: number;
  total: number;
}

/** Embeds every planned photo, with a bar on a terminal; says on stderr which could not be used. */
export async function embedPhotos(
  folder: string,
  planned: PlannedPerson[],
  inference: PhotoInference,
  settings: CliSettings,
): Promise<EmbeddedPhotos> {
  const embedder = await openPhotoEmbedder(settings, inference);
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
        const { embedding, remark } = await embedder.embed(file);
        if (embedding !== null) embeddings.push(embedding);
        if (remark !== null) remarks.push(`${printable(relative(folder, file) || file)}: ${remark}`);
        bar.increment();
      }
      used += embeddings.length;
      if (embeddings.length > 0) people.push({ label, embeddings });
      else remarks.push(`${printable(label)} is left out: none of its photos can be used`);
    }
  } finally {
    bar.stop();
    await embedder.close();
  }
  for (const remark of remarks) process.stderr.write(`! ${remark}\n`);
  return { network: embedder.network, people, used, total };
}
