import { describe, expect, it } from '@jest/globals';
import { faceAttributesOf } from './face-attributes.js';
import type { InferredFace } from './inference.js';

const face = (over: Partial<InferredFace>): InferredFace => ({
  ...{ size: 160, sharpness: 60, yaw: 4, pitch: -3, roll: 0, eyes: 0.3, mouth: 0.01, female: 0.5, embedding: null },
  ...over,
});
const saidOf = (over: Partial<InferredFace>) => {
  const { emotion, smile } = faceAttributesOf({ faces: [face(over)] })!;
  return [emotion, smile];
};

describe('face attributes', () => {
  it.each([
    ['happy', { happy: 0.96, neutral: 0.04 }, ['happy', true]],
    ['neutral', { happy: 0.01, neutral: 0.99 }, ['neutral', false]],
    ['between the two', { happy: 0.5, neutral: 0.5 }, [null, null]],
    // Result for the packaged photo of a stern man.
    ['perhaps angry', { angry: 0.98, neutral: 0.02 }, [null, null]],
    ['angry', { angry: 0.995, neutral: 0.005 }, ['angry', false]],
  ])('have a sure expression, and a smile for a happy one: %s', (_, expression, said) => {
    expect(saidOf({ expression })).toEqual(said);
  });

  it('are null for a face in profile, from above, lying, or without an expression result', () => {
    const expression = { happy: 1 };
    for (const pose of [{ yaw: -30 }, { pitch: 31 }, { pitch: null }, { roll: -88 }]) {
      expect(saidOf({ expression, ...pose })).toEqual([null, null]);
    }
    expect(saidOf({})).toEqual([null, null]);
  });

  it('are null for a picture without faces', () => {
    expect(faceAttributesOf({ faces: [] })).toBeNull();
  });
});
