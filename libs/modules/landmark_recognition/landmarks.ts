import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { AditError, elementAt } from '@adit/contracts';
import type { Json } from '@adit/contracts';
import { askAhead, type LabelDictionaries } from '@adit/dictionaries';
import type { Gallery } from '../galleries/gallery.js';
import type { Matcher } from '../galleries/match.js';

interface Recognised {
  /** Index of the landmark in the model. */
  landmark: number;
  /** Similarity to the nearest of its photos, 0..1. */
  similarity: number;
}

/** Landmarks of one model, with labels after the job's dictionaries. */
export class Landmarks {
  private readonly gallery: Gallery;
  /** By class; null where a dictionary drops the landmark. */
  private readonly labels: (string | null)[];

  /** Throws errors of reading a dictionary. */
  static async open(matcher: Matcher, dictionaries: LabelDictionaries): Promise<Landmarks> {
    await askAhead([dictionaries], () => new Landmarks(matcher, dictionaries));
    return new Landmarks(matcher, dictionaries);
  }

  /** The dictionaries have been queried ahead. */
  constructor(
    private readonly matcher: Matcher,
    dictionaries: LabelDictionaries,
  ) {
    // One model, so that its classes are the matcher's persons, index by index.
    const [gallery, ...others] = matcher.galleries;
    if (gallery === undefined || others.length > 0) {
      throw new AditError('INTERNAL', `Landmarks are recognised by one model, not by ${matcher.galleries.length}.`);
    }
    this.gallery = gallery;
    this.labels = gallery.classes.map(({ label }) => dictionaries.apply(label));
  }

  /**
   * Returns the landmark nearest to a picture's embedding, as the analysis `image-embedding` writes it; null for a
   * dropped landmark, and for a zero embedding.
   */
  recognise(embedding: string): Recognised | null {
    const [nearest] = this.matcher.nearest(decodeDirection(embedding), 1);
    if (nearest === undefined || this.labels[nearest.person] === null) return null;
    return { landmark: nearest.person, similarity: likenessOf(nearest.distance) };
  }

  /** See `Matcher.prepare`. */
  prepare(call: () => unknown): Promise<void> {
    return this.matcher.prepare(call);
  }

  /** Throws MODEL_NOT_INSTALLED when the model's photos were analysed by another network than the film. */
  checkNetwork(digest: string): void {
    const { name, embedding } = this.gallery;
    if (embedding.digest === digest) return;
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `The landmark model ${name} was built with another version of ${embedding.name}: build it again (adit landmark rebuild ${name}).`,
    );
  }

  /** Returns label and `landmark` of a result, as the interface defines them. */
  described(landmark: number): { label: string; meta: Record<string, Json> } {
    const { id, label: own, landmark: facts } = elementAt(this.gallery.classes, landmark);
    const label = this.labels[landmark] ?? own;
    return {
      label,
      meta: {
        name: label,
        ...(this.gallery.custom ? { class_id: id } : {}),
        type: facts?.type ?? null,
        latitude: facts?.latitude ?? null,
        longitude: facts?.longitude ?? null,
        location: facts?.location ?? [],
      },
    };
  }
}

/**
 * Converts a distance of two directions to `(1 + cosine) / 2`, 0..1. 0.75, the default of `min_similarity`, is a cosine
 * of 0.5, which separates views of one place from those of others (docs/reference/quality.md, "Landmarks").
 */
export function likenessOf(distance: number): number {
  return 1 - distance ** 2 / 4;
}
