import { describe, expect, it } from '@jest/globals';
import type { FaceObservations } from '@adit/analyses/faces/observations';
import type { TextObservations } from '@adit/analyses/text/observations';
import { NO_DICTIONARIES, sealState, unsealState, type Segment } from '@adit/mining';
import fc from 'fast-check';
import { CONTEXT, unit } from '../face_recognition/testing/scenes.js';
import { LowerThirdFold, type FaceRule, type LowerThirdState } from './fold.js';
import { nameFinder } from './names/find-name.js';

interface Caption {
  text: string;
  from: number;
  to: number;
  y?: number;
  steadiness?: number;
  confidence?: number;
}

const find = nameFinder({
  own: [],
  secondary: [],
  single: false,
  generic: { first: new Set(['ada', 'alan']), last: new Set(['lovelace']) },
});
const RULE: FaceRule = { minSize: 112, minSharpness: 40 };

/** Two samples a second, 12 frames apart. */
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

function facesOfSamples(from: number, to: number, size: number, sharpness: number): FaceObservations {
  const { sampled } = textOfSamples([], from, to);
  const sightings = sampled.map((at) => ({ ...at, box: { x: 0.4, y: 0.1, w: 0.2, h: 0.4 }, score: 0.9, size }));
  const view = { ...sampled[0]!, embedding: '', quality: 0.8, sharpness, yaw: 0, pitch: 0, roll: 0, size };
  return {
    sampled,
    tracks: [{ id: 0, sightings, views: [view], age: null, female: null, thumbnail: null, keyFrame: null }],
  };
}

function folded(
  captions: Caption[],
  {
    sizes = [60],
    last = 39,
    rule = null,
    face = { size: 200, sharpness: 60 },
  }: {
    sizes?: number[];
    last?: number;
    rule?: FaceRule | null;
    face?: { size: number; sharpness: number };
  } = {},
): Segment[] {
  const fold = new LowerThirdFold(find, rule, NO_DICTIONARIES);
  const owner = { id: 'lower_third_recognition', version: 1 };
  let state = fold.start(CONTEXT);
  const segments: Segment[] = [];
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const observations = {
      text: textOfSamples(captions, from, to),
      faces: facesOfSamples(from, to, face.size, face.sharpness),
    };
    const step = fold.fold(state, { unit: unit(), observations });
    segments.push(...step.segments);
    state = unsealState<LowerThirdState>(owner, sealState(owner, step.state)) as LowerThirdState;
    from = to + 1;
  }
  segments.push(...fold.close(state).segments);
  return segments;
}

describe('lower thirds', () => {
  it('become one segment a stretch of time, with text boxes', () => {
    const [segment, ...others] = folded([{ text: 'Ada Lovelace', from: 4, to: 11 }]);
    expect(others).toEqual([]);
    expect(segment).toMatchObject({ type: 'lower_third', label: 'Ada Lovelace', frameStart: 48, frameEnd: 132 });
    expect(segment!.meta).toEqual({ label: 'Ada Lovelace', from_dictionary: true });
    expect(segment!.detections).toHaveLength(8);
    expect(segment!.detections[0]).toMatchObject({
      frame_index: 48,
      type: 'text_bbox',
      data: { x: 0.1, y: 0.8, w: 0.3, h: 0.06, x1: 0.1, y1: 0.8, x3: 0.4, y3: 0.86 },
    });
  });

  it.each<[string, Partial<Caption>]>([
    ['stand in the upper half', { y: 0.2 }],
    ['change with the picture around them', { steadiness: 0.5 }],
    ['cannot be read', { confidence: 0.3 }],
    ['hold no name', { text: 'Breaking News' }],
    ['flash for one sample', { to: 4 }],
  ])('are not lines that %s', (_, change) => {
    expect(folded([{ text: 'Ada Lovelace', from: 4, to: 11, ...change }])).toEqual([]);
  });

  it('keep the spelling that was given before when a later reading differs by a letter', () => {
    const captions = [
      { text: 'Ada Lovelace', from: 2, to: 8 },
      { text: 'Ada Lovelaoe', from: 20, to: 30, confidence: 0.8 },
    ];
    expect(folded(captions, { sizes: [15] }).map(({ label }) => label)).toEqual(['Ada Lovelace', 'Ada Lovelace']);
  });

  it('count without a face only when asked to', () => {
    const captions = [{ text: 'Ada Lovelace', from: 4, to: 11 }];
    expect(folded(captions, { rule: RULE })).toHaveLength(1);
    expect(folded(captions, { rule: RULE, face: { size: 100, sharpness: 60 } })).toEqual([]);
    expect(folded(captions, { rule: RULE, face: { size: 200, sharpness: 30 } })).toEqual([]);
    expect(folded(captions, { face: { size: 100, sharpness: 30 } })).toHaveLength(1);
  });

  it('do not depend on where the film is cut', () => {
    const caption = fc.record({
      text: fc.constantFrom('Ada Lovelace', 'Alan Turing', 'Breaking News'),
      from: fc.nat(39),
      length: fc.nat(12),
    });
    fc.assert(
      fc.property(
        fc.array(caption, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
        (all, sizes) => {
          const captions = all.map(({ text, from, length }) => ({ text, from, to: from + length }));
          const bare = (segments: Segment[]) =>
            segments.map(({ label, frameStart, frameEnd, detections }) => [
              label,
              frameStart,
              frameEnd,
              detections.length,
            ]);
          expect(bare(folded(captions, { sizes }))).toEqual(bare(folded(captions)));
        },
      ),
      { numRuns: 60 },
    );
  });
});
