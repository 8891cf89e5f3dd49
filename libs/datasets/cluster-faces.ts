import { elementAt, type ClassEvaluation, type FaceClustering } from '@adit/contracts';
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

/** Why a face is of no use. */
export type FaceFault = Exclude<FaceClustering, 'match'>;

/** The face that is meant, when it can be used; else why not. */
export function usableFace(
  look: FaceLook | null,
  limits: FaceLimits,
): { face: LookedFace & { embedding: string } } | { reason: FaceFault } {
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

/** Vectors that come one after the other, and which of them hang together by links of one person. */
export class LinkedVectors {
  private readonly vectors: Float32Array[] = [];
  private readonly groupOf: number[] = [];

  get size(): number {
    return this.vectors.length;
  }

  /** The cosine with each that is there, in their order. */
  likeness(vector: Float32Array): Float64Array {
    const alike = new Float64Array(this.vectors.length);
    for (const [place, other] of this.vectors.entries()) alike[place] = cosine(vector, other);
    return alike;
  }

  /** @param alike its `likeness` */
  add(vector: Float32Array, alike = this.likeness(vector)): void {
    let own = this.vectors.push(vector) - 1;
    this.groupOf.push(own);
    for (const [other, value] of alike.entries()) {
      const to = elementAt(this.groupOf, other);
      if (to === own || value < SAME_PERSON) continue;
      for (const [at, group] of this.groupOf.entries()) if (group === own) this.groupOf[at] = to;
      own = to;
    }
  }

  /** The places of the largest group, or of the first of those of equal size. */
  largest(): Set<number> {
    const groups = new Map<number, number[]>();
    for (const [place, group] of this.groupOf.entries()) {
      const places = groups.get(group);
      if (places === undefined) groups.set(group, [place]);
      else places.push(place);
    }
    const [largest = []] = [...groups.values()].sort(
      (a, b) => b.length - a.length || elementAt(a, 0) - elementAt(b, 0),
    );
    return new Set(largest);
  }
}

/** The face of a picture of a class, as far as its neighbours and the class ask for it; or why it is of no use. */
export type ClassFace =
  | FaceFault
  | {
      vector: Float32Array;
      /** SHA-256 of the file. */
      digest: string | null;
      female: number | null;
      yaw: number | null;
      pitch: number | null;
    };

export function classFace(look: FaceLook | null, digest: string | null): ClassFace {
  const found = usableFace(look, DEFAULT_LIMITS);
  if ('reason' in found) return found.reason;
  const { embedding, female, yaw, pitch } = found.face;
  return { vector: vectorOf(embedding), digest, female, yaw, pitch };
}

/** What is found out of a class by comparing its images. */
export interface ComparedClass {
  /** By image. */
  clusters: FaceClustering[];
  result: ClassEvaluation;
  /** Of most of its faces; null while nobody knows. */
  gender: string | null;
}

/**
 * The images of a class in their order. The faces that can be used are linked where two are alike enough for one person; the
 * largest group is who the class is about. Each image is compared once with those before it, so that one more costs a comparison
 * with each, and gives what all of them together would.
 */
export class ClassFaces {
  /** Comparisons of two faces so far. */
  compared = 0;
  private readonly links = new LinkedVectors();
  private readonly digests = new Set<string>();
  private readonly images: { face: ClassFace; isCopy: boolean }[] = [];

  get size(): number {
    return this.images.length;
  }

  add(face: ClassFace): void {
    this.images.push({ face, isCopy: typeof face !== 'string' && !this.isLinked(face) });
  }

  found(): ComparedClass {
    const largest = this.links.largest();
    // Of two that are not alike nobody can tell which one is meant.
    const isClear = this.links.size > 2;
    let place = 0;
    const clusters = this.images.map(({ face, isCopy }): FaceClustering => {
      if (typeof face === 'string') return face;
      if (isCopy) return 'duplicate';
      return isClear && !largest.has(place++) ? 'outlier' : 'match';
    });
    return { clusters, ...this.summary(clusters) };
  }

  /** Links it with those before; false where one of them is the same picture. */
  private isLinked({ vector, digest }: Exclude<ClassFace, FaceFault>): boolean {
    if (digest !== null && this.digests.has(digest)) return false;
    const alike = this.links.likeness(vector);
    this.compared += alike.length;
    if (alike.some((value) => value >= SAME_PICTURE)) return false;
    this.links.add(vector, alike);
    if (digest !== null) this.digests.add(digest);
    return true;
  }

  private summary(clusters: readonly FaceClustering[]): Omit<ComparedClass, 'clusters'> {
    const faces = this.images.flatMap(({ face }, at) => {
      const isMeant = clusters[at] === 'match' || clusters[at] === 'duplicate';
      return isMeant && typeof face !== 'string' ? [face] : [];
    });
    const known = faces.flatMap(({ female }) => female ?? []);
    const gender = known.length === 0 ? null : mean(known) >= 0.5 ? 'female' : 'male';
    const yaws = faces.flatMap(({ yaw }) => yaw ?? []);
    const pitches = faces.flatMap(({ pitch }) => pitch ?? []);
    const result: ClassEvaluation =
      yaws.length === 0 || pitches.length === 0
        ? {}
        : { attribute_statistics: { head_pose: { yaw_mean_std: meanStd(yaws), pitch_mean_std: meanStd(pitches) } } };
    return { result, gender };
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meanStd(values: readonly number[]): number[] {
  const middle = mean(values);
  const deviation = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
  return [middle, deviation].map((value) => Number(value.toFixed(2)));
}
