import type { LeftOutImage, LeftOutReason } from '@adit/contracts';
import { LinkedVectors, usableFace, type FaceLimits } from './cluster-faces.js';
import { headOf, SeenImages, type Head, type HeadInMaking, type TrainedImage, type View, type Views } from './head.js';
import { vectorOf, type FaceInference } from './inference.js';

export interface TrainedClass {
  id: string;
  label: string;
  /** `inference` is null when the picture could not be read. */
  images: readonly (Omit<TrainedImage, 'seen'> & { inference: FaceInference | null })[];
}

/** Centres per person: enough for glasses, beards and ages. */
const MAX_CENTRES = 8;

/** Similarity above which two classes are one person under two names, so that they do not tighten the threshold. */
const SAME_PERSON = 0.65;

/**
 * Trains a head of faces: unusable faces and obvious outliers are omitted, every person gets several centres, and
 * trials measure it. Reproducible for the same classes.
 */
export class FaceHead implements HeadInMaking {
  private readonly people: Views[] = [];
  private readonly leftOut: LeftOutImage[] = [];

  add({ id, label }: { id: string; label: string }, images: readonly TrainedImage[]): void {
    const views = viewsOf(id, images, this.leftOut);
    if (views.length > 0) this.people.push({ id, label, views });
  }

  head(onProgress: (part: number) => void = () => undefined): Head | null {
    const options = {
      maxCentres: MAX_CENTRES,
      otherClassReason: 'another_person',
      isMidway: false,
      twiceFrom: SAME_PERSON,
      leftOut: this.leftOut,
    } as const;
    return headOf(this.people, options, onProgress);
  }
}

/** Returns the faces that a training with these limits uses. */
export function seenFaces(limits: FaceLimits): SeenImages<FaceInference> {
  return new SeenImages((inference) => {
    const found = usableFace(inference, limits);
    return 'face' in found ? vectorOf(found.face.embedding) : found.reason;
  });
}

/** Trains the head of classes that are in memory. */
export function fitFaceHead(
  classes: readonly TrainedClass[],
  limits: FaceLimits,
  onProgress?: (part: number) => void,
): Head | null {
  const faces = seenFaces(limits);
  const making = new FaceHead();
  for (const { images, ...one } of classes) {
    const seen = images.map(({ inference, ...image }) => ({ ...image, seen: faces.of(inference) }));
    making.add(one, seen);
  }
  return making.head(onProgress);
}

/** Returns the views of the class's person; others are recorded as omitted. */
function viewsOf(classId: string, images: readonly TrainedImage[], leftOut: LeftOutImage[]): View[] {
  const views: View[] = [];
  const digests = new Set<string>();
  const without = (id: string, reason: LeftOutReason) => leftOut.push({ class_id: classId, image_id: id, reason });
  for (const { id: imageId, digest, seen } of images) {
    if (typeof seen === 'string') without(imageId, seen);
    else if (digest !== null && digests.has(digest)) without(imageId, 'duplicate');
    else {
      views.push({ imageId, vector: seen });
      if (digest !== null) digests.add(digest);
    }
  }
  if (views.length < 3) return views;
  const links = new LinkedVectors();
  for (const { vector } of views) links.add(vector);
  const same = links.largest();
  // If no two views are similar it is ambiguous who is meant, so all stay.
  if (same.size === 1) return views;
  return views.filter(({ imageId }, at) => {
    if (same.has(at)) return true;
    without(imageId, 'outlier');
    return false;
  });
}
