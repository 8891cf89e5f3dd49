import type { LeftOutImage } from '@adit/contracts';
import { headOf, type Head, type HeadInMaking, type TrainedImage, type View, type Views } from './head.js';

/** Of a landmark: its sides, near and far, by day and at dusk. */
const MOST_CENTRES = 24;

/**
 * A head of landmarks in the making. The metric is the cosine of the network's embeddings; a landmark is its views, and what is
 * like none of them within the threshold is no landmark that the head ever saw. Views of one place may have nothing in common, so
 * none is left out for standing alone, only for showing another landmark. The same classes give the same head.
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
    // Pictures of places are more alike than faces are, whatever they show, and those of one place more than those of a person.
    const options = {
      mostCentres: MOST_CENTRES,
      stranger: 'another_place',
      isMidway: true,
      twiceFrom: null,
      leftOut: this.leftOut,
    } as const;
    return headOf(this.places, options, onProgress);
  }
}
