import type { FaceObservations } from '@adit/analyses/faces/observations';
import type { TextObservations } from '@adit/analyses/text/observations';
import { sealState, unsealState, type Segment } from '@adit/module-kit';
import { CONTEXT, unit } from '../../face_recognition/testing/scenes.js';
import type { LowerThirdFold, LowerThirdState } from '../fold.js';

/** Synthetic films: a line of text from one sample to another, inclusive; two samples per second, 12 frames apart. */
export interface Caption {
  text: string;
  from: number;
  to: number;
  y?: number;
  steadiness?: number;
  confidence?: number;
}

function textOfSamples(captions: Caption[], from: number, to: number): TextObservations {
  const sampled = Array.from({ length: to - from + 1 }, (_, i) => ({ frame: (from + i) * 12, time: (from + i) / 2 }));
  const tracks = captions.flatMap(({ text, y = 0.8, steadiness = 0.98, confidence = 0.95, ...span }, id) => {
    const sightings = sampled
      .filter(({ time }) => time * 2 >= span.from && time * 2 <= span.to)
      .map((at) => ({ ...at, corners: [0.1, y, 0.4, y, 0.4, y + 0.06, 0.1, y + 0.06], score: 0.9 }));
    const first = sightings[0];
    if (first === undefined) return [];
    const picture = { key: `p${from}-${id}`, width: 100, height: 40 };
    const keyFrame = { frame: first.frame, picture };
    return [{ id, text, confidence, size: 40, steadiness, movement: 8, sightings, thumbnail: picture, keyFrame }];
  });
  return { sampled, tracks };
}

function facesOfSamples(
  from: number,
  to: number,
  { size, sharpness, count }: { size: number; sharpness: number; count: number },
): FaceObservations {
  const { sampled } = textOfSamples([], from, to);
  const sightings = sampled.map((at) => ({ ...at, box: { x: 0.4, y: 0.1, w: 0.2, h: 0.4 }, score: 0.9, size }));
  const view = { ...sampled[0]!, embedding: '', quality: 0.8, sharpness, yaw: 0, pitch: 0, roll: 0, size };
  const tracks = Array.from({ length: count }, (_, id) => {
    const thumbnail = { key: `f${from + id}`, width: 80, height: 80 };
    return { id, sightings, views: [view], age: null, female: null, thumbnail, keyFrame: null };
  });
  return { sampled, tracks };
}

/**
 * Folds samples 0..`last` in chunks of these sizes (repeated), storing and reading back the state after each. The given
 * number of faces is always visible.
 */
export function foldCaptions(
  fold: LowerThirdFold,
  captions: Caption[],
  {
    sizes = [60],
    last = 39,
    face = { size: 200, sharpness: 60 },
    faces = 1,
  }: { sizes?: number[]; last?: number; face?: { size: number; sharpness: number }; faces?: number } = {},
): Segment[] {
  const owner = { id: 'lower_third_recognition', version: 1 };
  let state = fold.start(CONTEXT);
  const segments: Segment[] = [];
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const observations = {
      text: textOfSamples(captions, from, to),
      faces: facesOfSamples(from, to, { ...face, count: faces }),
    };
    const step = fold.fold(state, { unit: unit(), observations });
    segments.push(...step.segments);
    state = unsealState<LowerThirdState>(owner, sealState(owner, step.state)) as LowerThirdState;
    from = to + 1;
  }
  segments.push(...fold.close(state).segments);
  return segments;
}
