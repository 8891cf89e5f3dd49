import { setImmediate as turn } from 'node:timers/promises';
import { elementAt, type FaceClustering } from '@adit/contracts';
import { cosine, vectorOf, type FaceLook, type LookedFace } from './look.js';

/** Two views of one person are hardly ever less alike, two people hardly ever more (cosine of the face network's embeddings). */
const SAME_PERSON = 0.4;
/** Copies, crops and other sizes of one picture; two photos of one person are less alike. */
const SAME_PICTURE = 0.97;
/** Pixels below which no face is compared (libs/analyses/faces/quality.ts). */
const SMALLEST = 24;
/** A second face of this part of the largest one's size leaves open who is meant. */
const RIVAL = 0.6;

/** From when on a face is good enough: the defaults of a training. */
export interface FaceLimits {
  /** Pixels of the smallest side. */
  minFaceSize: number;
  /** 0..100. */
  sharpness: number;
}
export const DEFAULT_LIMITS: FaceLimits = { minFaceSize: 80, sharpness: 40 };

export interface LookedImage {
  id: string;
  digest: string | null;
  /** Null when the picture could not be read. */
  look: FaceLook | null;
}

/** The face that is meant, when it can be used; else why not. */
export function usableFace(
  look: FaceLook | null,
  limits: FaceLimits,
): { face: LookedFace & { embedding: string } } | { reason: Exclude<FaceClustering, 'match'> } {
  if (look === null) return { reason: 'unreadable' };
  const [first, second] = look.faces;
  if (first === undefined) return { reason: 'no_face' };
  if (second !== undefined && second.size >= RIVAL * first.size) return { reason: 'several_faces' };
  if (first.size < limits.minFaceSize) return { reason: 'too_small' };
  // Large enough for the client, and yet no evidence of who it is.
  if (first.embedding === null) return { reason: first.size < SMALLEST ? 'too_small' : 'too_blurred' };
  if (first.sharpness !== null && first.sharpness < limits.sharpness) return { reason: 'too_blurred' };
  return { face: { ...first, embedding: first.embedding } };
}

/**
 * How each image of a class stands to the others, in their order. The faces that can be used are linked where two are alike
 * enough for one person; the largest group, or the first of those of equal size, is who the class is about. Every image is
 * compared with every other: others have their turn after each.
 */
export async function clusterFaces(images: readonly LookedImage[], limits = DEFAULT_LIMITS): Promise<FaceClustering[]> {
  const found = images.map(({ look }) => usableFace(look, limits));
  const result: FaceClustering[] = found.map((one) => ('reason' in one ? one.reason : 'match'));
  const usable: { at: number; vector: Float32Array; digest: string | null }[] = [];
  for (const [at, one] of found.entries()) {
    if ('reason' in one) continue;
    await turn();
    const vector = vectorOf(one.face.embedding);
    const digest = elementAt(images, at).digest;
    const isKnown = usable.some(
      (other) => (digest !== null && digest === other.digest) || cosine(vector, other.vector) >= SAME_PICTURE,
    );
    if (isKnown) result[at] = 'duplicate';
    else usable.push({ at, vector, digest });
  }
  const groups = await linked(usable.map(({ vector }) => vector));
  const [largest = []] = [...groups].sort((a, b) => b.length - a.length || elementAt(a, 0) - elementAt(b, 0));
  // Of two that are not alike nobody can tell which one is meant.
  if (usable.length > 2) {
    for (const [place, { at }] of usable.entries()) if (!largest.includes(place)) result[at] = 'outlier';
  }
  return result;
}

/** Groups of vectors that hang together by links of one person, as places in ascending order. */
export async function linked(vectors: readonly Float32Array[]): Promise<number[][]> {
  const groupOf = vectors.map((_, place) => place);
  for (const [place, vector] of vectors.entries()) {
    await turn();
    for (let other = 0; other < place; other += 1) {
      if (groupOf[other] === groupOf[place] || cosine(vector, elementAt(vectors, other)) < SAME_PERSON) continue;
      const [from, to] = [elementAt(groupOf, place), elementAt(groupOf, other)];
      groupOf.forEach((group, at) => {
        if (group === from) groupOf[at] = to;
      });
    }
  }
  const groups = new Map<number, number[]>();
  for (const [place, group] of groupOf.entries()) {
    const places = groups.get(group);
    if (places === undefined) groups.set(group, [place]);
    else places.push(place);
  }
  return [...groups.values()];
}
