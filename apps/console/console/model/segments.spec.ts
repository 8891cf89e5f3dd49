import { describe, expect, it } from '@jest/globals';
import type { DetailedResult } from '@adit/client';
import { boxAt, segmentOf, titleOf } from './segments.js';

const result = (more: Partial<DetailedResult>): DetailedResult => ({
  ...{ media_type: 'video', frame_start: 10, frame_end: 30, time_start: 0.4, time_end: 1.2 },
  ...{ tc_start: '00:00:00:10', tc_end: '00:00:01:06', source: 'storage://a', source_name: 'a.mp4' },
  ...{ module: 'face_recognition', meta: {}, detections: [], thumbnail: null },
  ...more,
});
const face = (frame: number, x: number) => ({
  ...{ frame_index: frame, type: 'face_bbox', data: { x, y: 0.2, w: 0.1, h: 0.1 } },
});

describe('a segment', () => {
  it.each([
    ['a person', result({ meta: { person: 'Ada', similarity: 0.7 } }), 'Ada', 'Ada', 0.7],
    ['an unknown face', result({ meta: { person: 'unknown', similarity: 0.2 } }), 'unknown', 'unknown', null],
    [
      'an unknown face that was seen before',
      result({ meta: { person: 'unknown', indexed_identity: { label: 'Unknown #3' } } }),
      ...(['Unknown #3', 'Unknown #3', null] as const),
    ],
    [
      'a thing',
      result({ module: 'object_recognition', meta: { label: 'car', mean_confidence: 0.9 } }),
      ...(['car', 'car', 0.9] as const),
    ],
    [
      'a place',
      result({ module: 'landmark_recognition', meta: { landmark: { name: 'Dome' }, confidence: 0.5 } }),
      ...(['Dome', 'Dome', 0.5] as const),
    ],
    [
      'words of a speaker',
      result({ module: 'speech_recognition', meta: { text: 'Good evening', speaker: 'Speaker 1' } }),
      ...(['Speaker 1', 'Speaker 1: Good evening', null] as const),
    ],
    [
      'a caption, which shares its lane with the others',
      result({ module: 'lower_third_recognition', meta: { label: 'Jo Weber' } }),
      ...(['', 'Jo Weber', null] as const),
    ],
  ])('%s', (_, found, label, title, confidence) => {
    const segment = segmentOf(found, 7);
    expect([segment.index, segment.label, titleOf(segment), segment.confidence]).toEqual([7, label, title, confidence]);
  });
});

describe('a box', () => {
  const segment = segmentOf(result({ detections: [face(20, 0.3), face(10, 0.1)] }), 0);

  it('a box moves on the line between two frames that were looked at, and stays behind the last', () => {
    expect(boxAt(segment, 10)?.x).toBeCloseTo(0.1);
    expect(boxAt(segment, 15)?.x).toBeCloseTo(0.2);
    expect(boxAt(segment, 30)?.x).toBeCloseTo(0.3);
  });

  it('a box is nowhere outside of its segment, nor where nothing says a place', () => {
    expect([boxAt(segment, 9), boxAt(segment, 31)]).toEqual([null, null]);
    expect(boxAt(segmentOf(result({}), 0), 15)).toBeNull();
    const point = { frame_index: 10, type: 'point', data: { x: 0.1, y: 0.1 } };
    expect(boxAt(segmentOf(result({ detections: [point] }), 0), 10)).toBeNull();
  });
});
