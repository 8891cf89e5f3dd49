import { expect, it } from '@jest/globals';
import { whyNone } from './faces.js';
import type { SeenFace } from './searched-people.js';

function seen(size: number): SeenFace {
  const untold = { quality: null, sharpness: null, yaw: null, pitch: null, roll: null, age: null, gender: null };
  const face = { face_bbox: { x: 0.1, y: 0.1, w: 0.2, h: 0.3 }, confidence: 0.9, size, ...untold };
  return { place: 0, face, embedding: null };
}

it('says what is wrong with the largest face when none can be compared', () => {
  const codes = [[], [seen(20)], [seen(300), seen(20)]].map((faces) => whyNone(faces)[0]);
  expect(codes).toEqual(['no_face', 'too_small', 'too_blurred']);
});
