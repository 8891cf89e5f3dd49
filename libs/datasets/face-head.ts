import { setImmediate as turn } from 'node:timers/promises';
import type { LeftOutImage, LeftOutReason } from '@adit/contracts';
import { LinkedVectors, usableFace, type FaceLimits } from './cluster-faces.js';
import { headOf, type Head, type View, type Views } from './head.js';
import { vectorOf, type FaceLook } from './look.js';

export interface TrainedClass {
  id: string;
  label: string;
  /** `look` is null when the picture could not be read. */
  images: readonly { id: string; digest: string | null; look: FaceLook | null }[];
}

/** Of a person: enough for glasses, beards and years. */
const MOST_CENTRES = 8;

/** Two people are never so alike: who is there under two names has not made all others strangers. */
const SAME_PERSON = 0.65;

/**
 * Makes a head of faces from a dataset: what cannot be used and who plainly is somebody else is left out, every person gets
 * several centres, and trials measure it. The same classes give the same head. Returns null when nothing can be used. `onProgress`
 * is asked between classes, with the part that is done.
 */
export async function fitFaceHead(
  classes: readonly TrainedClass[],
  limits: FaceLimits,
  onProgress: (part: number) => Promise<void>,
): Promise<Head | null> {
  const leftOut: LeftOutImage[] = [];
  const people: Views[] = [];
  const network = classes.flatMap(({ images }) => images.flatMap(({ look }) => look?.network ?? []))[0];
  if (network === undefined) return null;
  for (const [at, one] of classes.entries()) {
    const views = await viewsOf(one, limits, network.digest, leftOut);
    if (views.length > 0) people.push({ id: one.id, label: one.label, views });
    if (at % 50 === 0) await onProgress((0.4 * at) / classes.length);
  }
  const options = {
    mostCentres: MOST_CENTRES,
    stranger: 'another_person',
    isMidway: false,
    twiceFrom: SAME_PERSON,
    leftOut,
  } as const;
  const head = await headOf(people, options, (part) => onProgress(0.4 + 0.6 * part));
  return head === null ? null : { network, ...head };
}

/** The views of who a class is about; the others are noted. */
async function viewsOf(
  { id, images }: TrainedClass,
  limits: FaceLimits,
  network: string,
  leftOut: LeftOutImage[],
): Promise<View[]> {
  const views: View[] = [];
  const digests = new Set<string>();
  const without = (imageId: string, reason: LeftOutReason) => leftOut.push({ class_id: id, image_id: imageId, reason });
  for (const { id: imageId, digest, look } of images) {
    const found =
      look !== null && look.network.digest !== network ? { reason: 'unreadable' as const } : usableFace(look, limits);
    if (!('face' in found)) without(imageId, found.reason);
    else if (digest !== null && digests.has(digest)) without(imageId, 'duplicate');
    else {
      views.push({ imageId, vector: vectorOf(found.face.embedding) });
      if (digest !== null) digests.add(digest);
    }
  }
  if (views.length < 3) return views;
  const links = new LinkedVectors();
  for (const { vector } of views) {
    links.add(vector);
    await turn();
  }
  const same = links.largest();
  // When no two are alike, nobody knows who is meant: all stay.
  if (same.size === 1) return views;
  return views.filter(({ imageId }, at) => {
    if (same.has(at)) return true;
    without(imageId, 'outlier');
    return false;
  });
}
