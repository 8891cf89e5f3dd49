import type { LeftOutImage } from '@adit/contracts';
import { headOf, type Head, type HeadInMaking, type TrainedImage, type View, type Views } from './head.js';

/** Centres per landmark: its sides, near and far, by day and at dusk. */
const MAX_CENTRES = 24;

/**
 * Trains a head of landmarks. The metric is the cosine of the network's embeddings; a landmark is its views, and
 * pictures beyond the threshold are unknown. Views of one place may be dissimilar, so none is omitted for standing
 * alone, only for showing another landmark. Reproducible for the same classes.
 */
export class PlaceHead implements HeadInMaking {
  private readonly places: Views[] = [];
  private readonly leftOut: LeftOutImage[] = [];

  add({ id, label }: { id: string; label: string }, images: readonly TrainedImage[]): void {
    const views: View[] = [];
    const digests = new Set<string>();
    for (const { id: imageId, digest, seen } of images) {
      const isKnown = digest !== null && digests.has(digest);
      if (typeof seen !== 'string' && !isKnown) views.push({ imageId, vector: seen });
      else this.leftOut.push({ class_id: id, image_id: imageId, reason: isKnown ? 'duplicate' : 'unreadable' });
      if (digest !== null) digests.add(digest);
    }
    this.places.push({ id, label, views });
  }

  head(onProgress: (part: number) => void = () => undefined): Head | null {
    // Pictures of different places are more similar than different faces, and those of one place more than those of a
    // person.
    const options = {
      maxCentres: MAX_CENTRES,
      otherClassReason: 'another_place',
      isMidway: true,
      twiceFrom: null,
      leftOut: this.leftOut,
    } as const;
    return headOf(this.places, options, onProgress);
  }
}
