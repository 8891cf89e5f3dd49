import { expect, it } from '@jest/globals';
import { SegmentEntity } from '@adit/database';
import { presentSegment } from './present-segment.js';

const around = {
  mediaType: 'video',
  source: 'a.mp4',
  sourceName: 'a.mp4',
  facts: null,
  resultName: 'face_recognition',
  thumbnail: null,
} as const;

function metaOf(identityNumber: number | null, meta: SegmentEntity['meta']) {
  const segment = Object.assign(new SegmentEntity(), { label: String(meta['person']), identityNumber, meta });
  return presentSegment(Object.assign(segment, { thumbnail: null, detections: [] }), around).meta;
}

/** @hardening media: The closest person is said of people who are known */
it('the closest match is presented only for people labelled unknown', () => {
  const meta = { person: 'unknown', closest_person: 'Anna', similarity: 0.2 };
  expect(metaOf(null, meta)).toEqual(meta);
  expect(metaOf(3, meta)).toEqual({ person: 'Unknown #3', similarity: 0.2 });
  expect(metaOf(null, { ...meta, closest_person: null })).toHaveProperty('closest_person', null);
});
