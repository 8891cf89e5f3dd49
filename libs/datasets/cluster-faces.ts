import { elementAt, type ClassEvaluation, type FaceClustering } from '@adit/contracts';
import { cosine, vectorOf, type FaceInference, type InferredFace } from './inference.js';

/** Cosine of the face network's embeddings that separates two views of one person from two people. */
const SAME_PERSON = 0.4;
/** Cosine of copies, crops and other sizes of one picture; two photos of one person are less similar. */
const SAME_PICTURE = 0.97;
/** Pixels below which no face is compared (libs/analyses/faces/quality.ts). */
const MIN_FACE_PIXELS = 24;
/** Relative size of a second face from which it is ambiguous who is meant. */
const RIVAL = 0.6;

/** Quality limits of faces, by default those of a training. */
export interface FaceLimits {
  /** Pixels of the smallest side. */
  minFaceSize: number;
  /** 0..100. */
  sharpness: number;
}
export const DEFAULT_LIMITS: FaceLimits = { minFaceSize: 80, sharpness: 40 };

/** Reason why a face is unusable. */
export type FaceFault = Exclude<FaceClustering, 'match'>;

/** Returns the face that is meant, when it is usable; else the reason. */
export function usableFace(
  inference: FaceInference | null,
  limits: FaceLimits,
): { face: InferredFace & { embedding: string } } | { reason: FaceFault } {
  if (inference === null) return { reason: 'unreadable' };
  const [first, second] = inference.faces;
  if (first === undefined) return { reason: 'no_face' };
  if (second !== undefined && second.size >= RIVAL * first.size) return { reason: 'several_faces' };
  if (first.size < limits.minFaceSize) return { reason: 'too_small' };
  // Large enough for the client, but no evidence of an identity.
  if (first.embedding === null) return { reason: first.size < MIN_FACE_PIXELS ? 'too_small' : 'too_blurred' };
  if (first.sharpness !== null && first.sharpness < limits.sharpness) return { reason: 'too_blurred' };
  return { face: { ...first, embedding: first.embedding } };
}

/** Growing list of vectors, and their connected groups by links of one person. */
export class LinkedVectors {
  private readonly vectors: Float32Array[] = [];
  private readonly groupOf: number[] = [];

  get size(): number {
    return this.vectors.length;
  }

  /** Returns the cosine with each existing vector, in order. */
  likeness(vector: Float32Array): Float64Array {
    const alike = new Float64Array(this.vectors.length);
    for (const [place, other] of this.vectors.entries()) alike[place] = cosine(vector, other);
    return alike;
  }

  /** @param alike result of `likeness` */
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

  /** Returns the indexes of the largest group, or of the first of several. */
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

/** The face of a class picture, as far as comparisons need it; or why it is unusable. */
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

export function classFace(inference: FaceInference | null, digest: string | null): ClassFace {
  const found = usableFace(inference, DEFAULT_LIMITS);
  if ('reason' in found) return found.reason;
  const { embedding, female, yaw, pitch } = found.face;
  return { vector: vectorOf(embedding), digest, female, yaw, pitch };
}

/** Result of comparing the images of a class. */
export interface ComparedClass {
  /** By image. */
  clusters: FaceClustering[];
  result: ClassEvaluation;
  /** Gender of most of its faces; null while unknown. */
  gender: string | null;
}

/**
 * The images of a class in order. Usable faces that are similar enough for one person are linked; the largest group
 * represents the class. Each image is compared once with those before it, so that one more costs one comparison each,
 * with the same result as comparing all together.
 */
export class ClassFaces {
  /** Number of face comparisons so far. */
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
    // With only two dissimilar faces it is ambiguous which one is meant.
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
