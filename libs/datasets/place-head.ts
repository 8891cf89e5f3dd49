import type { LeftOutImage } from '@adit/contracts';
import { headOf, type Head, type View, type Views } from './head.js';

export interface TrainedPlace {
  id: string;
  label: string;
  images: readonly PlaceImage[];
}

export interface PlaceImage {
  id: string;
  /** SHA-256 of the file. */
  digest: string | null;
  /** What the network said of the whole picture, of length 1; null for one that could not be read or shows nothing. */
  look: { network: Head['network']; vector: Float32Array } | null;
}

/** Of a landmark: its sides, near and far, by day and at dusk. */
const MOST_CENTRES = 24;

/**
 * Makes a head of landmarks from a dataset. The metric is the cosine of the network's embeddings; a landmark is its views, and
 * what is like none of them within the threshold is no landmark that the head ever saw. Views of one place may have nothing in
 * common, so none is left out for standing alone, only for showing another landmark. The same classes give the same head.
 * Returns null when nothing can be used. `onProgress` is told between classes, with the part that is done.
 */
export async function fitPlaceHead(
  classes: readonly TrainedPlace[],
  onProgress: (part: number) => Promise<void>,
): Promise<Head | null> {
  const network = classes.flatMap(({ images }) => images.flatMap(({ look }) => look?.network ?? []))[0];
  if (network === undefined) return null;
  const leftOut: LeftOutImage[] = [];
  const places: Views[] = classes.map(({ id, label, images }) => {
    const views: View[] = [];
    const digests = new Set<string>();
    for (const { id: imageId, digest, look } of images) {
      const isKnown = digest !== null && digests.has(digest);
      if (look === null || look.network.digest !== network.digest || isKnown)
        leftOut.push({ class_id: id, image_id: imageId, reason: isKnown ? 'duplicate' : 'unreadable' });
      else views.push({ imageId, vector: look.vector });
      if (digest !== null) digests.add(digest);
    }
    return { id, label, views };
  });
  // Pictures of places are more alike than faces are, whatever they show, and those of one place more than those of a person.
  const options = {
    mostCentres: MOST_CENTRES,
    stranger: 'another_place',
    isMidway: true,
    twiceFrom: null,
    leftOut,
  } as const;
  const head = await headOf(places, options, onProgress);
  return head === null ? null : { network, ...head };
}
