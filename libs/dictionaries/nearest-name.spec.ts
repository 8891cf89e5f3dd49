import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  const names = ['face_recognition', 'speech_recognition', 'lower_third_recognition'];

  it.each([
    ['face_recogniton', 'face_recognition'],
    ['speechrecognition', 'speech_recognition'],
    ['lower_thirds_recognition', 'lower_third_recognition'],
    ['mind', null],
    ['x'.repeat(1_000_000), null],
  ])('for %.30s is %s', (given, meant) => {
    expect(nearestName(given, names)).toBe(meant);
  });

  it('is null without names', () => {
    expect(nearestName('a', [])).toBeNull();
  });
});
