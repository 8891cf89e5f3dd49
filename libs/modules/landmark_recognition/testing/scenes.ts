import type { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { encodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { NO_DICTIONARIES, type LabelDictionaries } from '@adit/dictionaries';
import { sealState, unsealState, type Segment } from '@adit/module-kit';
import { CONTEXT, FPS, unit } from '../../face_recognition/testing/scenes.js';
import type { Gallery } from '../../galleries/gallery.js';
import { classIdOf } from '../../galleries/gallery-writer.js';
import { Matcher } from '../../galleries/match.js';
import { LandmarkFold, type LandmarkState } from '../fold.js';
import { Landmarks } from '../landmarks.js';

/** Synthetic films: places are axes of a small space, and a view has a given distance from its axis. */

export const NAMES = ['Bridge', 'Castle', 'Mill'];
const DIMENSIONS = 8;
const NETWORK = 'f'.repeat(64);

export function modelOf(custom = true): Gallery {
  const vectors = new Float32Array(NAMES.length * DIMENSIONS);
  NAMES.forEach((_, row) => (vectors[row * DIMENSIONS + row] = 1));
  return {
    format: 1,
    name: 'town',
    custom,
    embedding: { name: 'image-embedding', digest: NETWORK },
    dimensions: DIMENSIONS,
    classes: NAMES.map((label, index) => ({
      id: classIdOf('town', label),
      label,
      images: 1,
      ...(index === 0
        ? {
            landmark: {
              type: ['bridge'],
              latitude: '49.4139',
              longitude: '8.7094',
              location: ['Heidelberg', 'Germany'],
            },
          }
        : {}),
    })),
    rows: NAMES.map((_, row) => row),
    vectors,
  };
}

/** An interval of a film that shows a place; `cosine` is its similarity. */
export interface Shot {
  place: string;
  samples: number[];
  cosine?: number;
}

function viewOf(place: string | null, cosine = 0.9): string {
  const vector = new Float32Array(DIMENSIONS);
  if (place !== null) vector[NAMES.indexOf(place)] = cosine;
  vector[DIMENSIONS - 1] = Math.sqrt(1 - (place === null ? 0 : cosine ** 2));
  return encodeDirection(vector);
}

/**
 * Returns the observations of samples `from` to `to`, inclusive, at `rate` samples per second; every frame is a view.
 */
export function observe(shots: Shot[], from: number, to: number, rate = 1): ImageEmbeddingObservations {
  const samples = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const frameOf = (sample: number) => Math.ceil((sample * FPS) / rate);
  return {
    network: NETWORK,
    dimensions: DIMENSIONS,
    sampled: samples.map((sample, index) => {
      const shot = shots.find(({ samples: shown }) => shown.includes(sample));
      const frame = frameOf(sample);
      return {
        frame,
        time: Number((frame / FPS).toFixed(6)),
        embedding: viewOf(shot?.place ?? null, shot?.cosine),
        view: index,
      };
    }),
    views: samples.map((sample) => ({
      frame: frameOf(sample),
      thumbnail: { key: `thumbnail-${sample}`, width: 160, height: 90 },
      picture: { key: `frame-${sample}`, width: 455, height: 256 },
    })),
  };
}

export function landmarkFold(
  minSimilarity = 0.75,
  dictionaries: LabelDictionaries = NO_DICTIONARIES,
  model = modelOf(),
): LandmarkFold {
  return new LandmarkFold(new Landmarks(new Matcher([model]), dictionaries), minSimilarity);
}

/** Folds samples 0..`last` in chunks of these sizes (repeated), storing and reading back the state after each. */
export function foldShots(
  fold: LandmarkFold,
  shots: Shot[],
  { last, rate = 1, sizes = [60] }: { last: number; rate?: number; sizes?: number[] },
): Segment[] {
  const owner = { id: 'landmark_recognition', version: 1 };
  let state = fold.start(CONTEXT);
  const segments: Segment[] = [];
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const observations = { 'image-embedding': observe(shots, from, to, rate) };
    const step = fold.fold(state, { unit: unit(), observations });
    segments.push(...step.segments);
    state = unsealState<LandmarkState>(owner, sealState(owner, step.state)) as LandmarkState;
    from = to + 1;
  }
  segments.push(...fold.close(state).segments);
  return segments;
}
