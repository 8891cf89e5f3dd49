import type { FaceObservations } from '@adit/analyses/faces/observations';
import type { Box, Unit } from '@adit/contracts';
import { sealState, unsealState } from '@adit/module-kit';
import type { FoldContext, Segment } from '@adit/module-kit';
import { filmFacts, randomOf } from '@adit/testing';
import { FaceRecognitionArguments } from '../args.js';
import { encodeEmbedding, normalised } from '../../galleries/embedding.js';
import { FaceFold } from '../fold.js';
import type { FaceState } from '../fold.js';
import type { Gallery } from '../../galleries/gallery.js';
import { classIdOf } from '../../galleries/gallery-writer.js';
import { Matcher } from '../../galleries/match.js';

/** Synthetic films: people with embeddings as far apart as the real network's, walking in front of a camera. */

export const DIMENSIONS = 512;

function direction(random: () => number, dimensions = DIMENSIONS): Float32Array {
  return normalised(Array.from({ length: dimensions }, () => random() - 0.5)) as Float32Array;
}

/** A person’s face in the user's network: the same in every view. */
export function otherFaceOf(person: number, dimensions: number): Float32Array {
  return direction(randomOf(person * 6_007 + dimensions), dimensions);
}

/** A gallery that was made with such a network. */
export function otherGalleryOf(name: string, people: Record<string, number>, dimensions: number): Gallery {
  const vectors = new Float32Array(Object.values(people).flatMap((person) => [...otherFaceOf(person, dimensions)]));
  const labels = Object.keys(people);
  return {
    ...{
      format: 1,
      name,
      custom: true,
      embedding: { name: 'ours', digest: 'a'.repeat(64) },
      maxDistance: 0.9,
      dimensions,
    },
    classes: labels.map((label) => ({ id: classIdOf(name, label), label, images: 1 })),
    rows: labels.map((_, index) => index),
    vectors,
  };
}

/** The face of person `seed`: two people's are nearly orthogonal, as the network's are (cosine at most .28). */
export function faceOf(seed: number): Float32Array {
  return direction(randomOf(seed * 7919 + 13));
}

const faces = new Map<number, Float32Array>();
const views = new Map<string, { vector: Float32Array; base64: string }>();

/** One view: cosine .78 to the face itself, so about .6 to another view, where the network's minimum is .52. */
export function viewOf(person: number, seed: number, cosine = 0.78): { vector: Float32Array; base64: string } {
  const key = `${person} ${seed} ${cosine}`;
  const known = views.get(key);
  if (known !== undefined) return known;
  const face = faces.get(person) ?? faceOf(person);
  faces.set(person, face);
  const noise = direction(randomOf(seed * 104_729 + person));
  const side = Math.sqrt(1 - cosine * cosine);
  const vector = normalised(
    face.map((value, index) => value * cosine + (noise[index] as number) * side),
  ) as Float32Array;
  const view = { vector, base64: encodeEmbedding(vector) };
  views.set(key, view);
  return view;
}

export function galleryOf(name: string, people: Record<string, number>, custom = true): Gallery {
  const rows = Object.values(people).flatMap((person, index) =>
    [1, 2].map((photo) => ({ index, vector: viewOf(person, 1_000_000 + photo).vector })),
  );
  const vectors = new Float32Array(rows.length * DIMENSIONS);
  rows.forEach(({ vector }, row) => vectors.set(vector, row * DIMENSIONS));
  return {
    format: 1,
    name,
    custom,
    embedding: { name: 'face-embedding', digest: 'f'.repeat(64) },
    dimensions: DIMENSIONS,
    classes: Object.keys(people).map((label) => ({ id: classIdOf(name, label), label, images: 2 })),
    rows: rows.map(({ index }) => index),
    vectors,
  };
}

/** Somebody in a film. */
export interface Actor {
  /** Seed of the face. */
  person: number;
  /** Seed of another person whom the face resembles equally: it is near both. */
  like?: number;
  /** Samples that show them. */
  samples: number[];
  /** Left edge at sample 0 and drift per sample, fractions of the frame. */
  x?: number;
  drift?: number;
  /** Shorter side of the face in source pixels. */
  size?: number;
  /** Number of sightings per view; 0 for none. */
  views?: number;
  /** Person that the user's network recognises, where views have its embedding too, and the length of that. */
  compared?: { person: number; dimensions: number };
  /** Apparent gender and age of every view. */
  female?: number;
  age?: number;
}

export const FPS = 25;

const FILM = filmFacts({ fps: { num: FPS, den: 1 }, totalFrames: 100_000, duration: 4000 });

export const CONTEXT: FoldContext = { sourceIndex: 3, facts: FILM };

export function frameOf(sample: number, rate: number): number {
  return Math.ceil((sample * FPS) / rate);
}

function boxOf(actor: Actor, sample: number): Box {
  return { x: (actor.x ?? 0.1) + (actor.drift ?? 0) * sample, y: 0.2, w: 0.1, h: 0.18 };
}

/**
 * Returns the observations of `faces` for samples `from`..`to`: with a tracker that loses a face as soon as one sample
 * misses it.
 */
export function observe(actors: Actor[], from: number, to: number, rate: number): FaceObservations {
  const sampled = [];
  for (let sample = from; sample <= to; sample += 1) {
    sampled.push({ frame: frameOf(sample, rate), time: frameOf(sample, rate) / FPS });
  }
  const tracks: FaceObservations['tracks'] = [];
  for (const [index, actor] of actors.entries()) {
    const shown = actor.samples.filter((sample) => sample >= from && sample <= to).sort((a, b) => a - b);
    const runs: number[][] = [];
    for (const sample of shown) {
      if (runs.at(-1)?.at(-1) === sample - 1) runs.at(-1)?.push(sample);
      else runs.push([sample]);
    }
    for (const run of runs) tracks.push(trackOf(tracks.length, index, actor, run, rate));
  }
  return { sampled, tracks };
}

function vectorOf({ person, like }: Actor, sample: number): Float32Array {
  const { vector } = viewOf(person, sample);
  if (like === undefined) return vector;
  const other = viewOf(like, sample).vector;
  return normalised(vector.map((value, index) => value + (other[index] as number))) as Float32Array;
}

function trackOf(
  id: number,
  index: number,
  actor: Actor,
  run: number[],
  rate: number,
): FaceObservations['tracks'][number] {
  const size = actor.size ?? 120;
  const at = (sample: number) => ({ frame: frameOf(sample, rate), time: frameOf(sample, rate) / FPS });
  const every = actor.views ?? 1;
  const views = run
    .filter((sample) => every > 0 && sample % every === 0)
    .map((sample) => ({
      ...at(sample),
      embedding: encodeEmbedding(vectorOf(actor, sample)),
      ...(actor.compared !== undefined && {
        compared: encodeEmbedding(otherFaceOf(actor.compared.person, actor.compared.dimensions)),
      }),
      // No two views of a film are equally good, so that the best does not depend on where it is cut.
      quality: 0.3 + 0.7 * randomOf(index * 65_537 + sample)(),
      sharpness: 60,
      yaw: 0,
      pitch: 0,
      roll: 0,
      size,
    }))
    .sort((a, b) => b.quality - a.quality);
  const best = views[0];
  const picture = best && { key: `pictures/${index}-${best.frame}.jpg`, width: 160, height: 160 };
  return {
    id,
    sightings: run.map((sample) => ({ ...at(sample), box: boxOf(actor, sample), score: 0.9, size })),
    views,
    age: best === undefined ? null : (actor.age ?? null),
    female: best === undefined ? null : (actor.female ?? null),
    thumbnail: picture ?? null,
    keyFrame: best && picture ? { frame: best.frame, picture } : null,
  };
}

export function unit(facts: Unit['facts'] = FILM, sourceIndex = 3): Unit {
  return { sourceIndex, mediaDigest: 'd'.repeat(64), facts, kind: 'image' };
}

/** The unit of samples `from`..`to`, which ends at the next sample. */
export function chunk(from: number, to: number, rate = 2): Unit {
  const [frameStart, frameEnd] = [frameOf(from, rate), frameOf(to + 1, rate)];
  const interval = { frameStart, frameEnd, ptsStart: frameStart, ptsEnd: frameEnd, seekPts: frameStart };
  return { ...unit(), kind: 'video', interval };
}

export function faceFold(args: Record<string, unknown>, ...galleries: Gallery[]): FaceFold {
  return new FaceFold(FaceRecognitionArguments.parse(args), new Matcher(galleries));
}

/**
 * Folds samples 0..`last` in chunks of these sizes (repeated), storing and reading back the state after each. Returns
 * the segments as emitted and the largest stored state in bytes.
 */
export function foldFilm(
  fold: FaceFold,
  actors: Actor[],
  { last, rate = 2, sizes = [60] }: { last: number; rate?: number; sizes?: number[] },
): { segments: Segment[]; largestState: number } {
  const owner = { id: 'face_recognition', version: 1 };
  let state = fold.start(CONTEXT);
  let largestState = 0;
  const segments: Segment[] = [];
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const step = fold.fold(state, { unit: unit(), observations: { faces: observe(actors, from, to, rate) } });
    segments.push(...step.segments);
    const stored = sealState(owner, step.state);
    largestState = Math.max(largestState, Buffer.byteLength(stored));
    state = unsealState<FaceState>(owner, stored) as FaceState;
    from = to + 1;
  }
  segments.push(...fold.close(state).segments);
  return { segments, largestState };
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
