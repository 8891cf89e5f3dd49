import type { LeftOutImage, LeftOutReason } from '@adit/contracts';
import { LinkedVectors, usableFace, type FaceLimits } from './cluster-faces.js';
import { headOf, SeenImages, type Head, type HeadInMaking, type TrainedImage, type View, type Views } from './head.js';
import { vectorOf, type FaceLook } from './look.js';

export interface TrainedClass {
  id: string;
  label: string;
  /** `look` is null when the picture could not be read. */
  images: readonly (Omit<TrainedImage, 'seen'> & { look: FaceLook | null })[];
}

/** Of a person: enough for glasses, beards and years. */
const MOST_CENTRES = 8;

/** Two people are never so alike: who is there under two names has not made all others strangers. */
const SAME_PERSON = 0.65;

/**
 * A head of faces in the making: what cannot be used and who plainly is somebody else is left out, every person gets several
 * centres, and trials measure it. The same classes give the same head.
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
      mostCentres: MOST_CENTRES,
      stranger: 'another_person',
      isMidway: false,
      twiceFrom: SAME_PERSON,
      leftOut: this.leftOut,
    } as const;
    return headOf(this.people, options, onProgress);
  }
}

/** Faces as a training with these limits takes them. */
export function seenFaces(limits: FaceLimits): SeenImages<FaceLook> {
  return new SeenImages((look) => {
    const found = usableFace(look, limits);
    return 'face' in found ? vectorOf(found.face.embedding) : found.reason;
  });
}

/** The head of classes that are in memory. */
export function fitFaceHead(
  classes: readonly TrainedClass[],
  limits: FaceLimits,
  onProgress?: (part: number) => void,
): Head | null {
  const faces = seenFaces(limits);
  const making = new FaceHead();
  for (const { images, ...one } of classes) {
    const seen = images.map(({ look, ...image }) => ({ ...image, seen: faces.of(look) }));
    making.add(one, seen);
  }
  return making.head(onProgress);
}

/** The views of who a class is about; the others are noted. */
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
  // When no two are alike, nobody knows who is meant: all stay.
  if (same.size === 1) return views;
  return views.filter(({ imageId }, at) => {
    if (same.has(at)) return true;
    without(imageId, 'outlier');
    return false;
  });
}
