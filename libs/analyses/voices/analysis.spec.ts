/** @needs ffmpeg, weights */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { cosine } from '../faces/embedding.js';
import { decodeDirection } from '../image-embedding/vector-code.js';
import { pulledModel } from '../testing/pulled-models.js';
import { applause, music } from '../testing/sounds.js';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';
import voices from './analysis.js';
import { HOP_SECONDS, WINDOW_SECONDS, type VoicesObservations } from './observations.js';

const models = await pulledModel('resemblyzer');
if ('reason' in models) {
  describe(`voices (skipped: ${models.reason})`, () => it.skip('all of these tests', () => undefined));
} else {
  describe('voices', () => {
    let harness: AnalysisHarness<VoicesObservations>;
    let kennedy: Float32Array;
    beforeAll(async () => {
      harness = await AnalysisHarness.open(voices, [OWN_MODELS, models.folder]);
      const path = await transcode('kennedy.f32', ['-i', sampleMedia().kennedy, '-ar', '16000', '-f', 'f32le']);
      const file = await readFile(path);
      kennedy = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
    });
    afterAll(() => harness.close());

    const heard = async (sound: Float32Array, cuts: readonly number[] = []) =>
      (await harness.ofSound(sound, cuts, {})).flatMap(({ windows }) => windows);

    it('are detected where somebody speaks, and near each other for one speaker', async () => {
      const windows = await heard(kennedy);
      expect(windows.length).toBeGreaterThan(8);
      expect(windows.every(({ index }) => index * HOP_SECONDS + 0.75 * WINDOW_SECONDS <= 11)).toBe(true);
      const [first, ...rest] = windows.map(({ voice }) => decodeDirection(voice));
      expect(first).toHaveLength(256);
      const mean = rest.reduce((sum, each) => sum + cosine(first!, each), 0) / rest.length;
      expect(mean).toBeGreaterThan(0.6);
    });

    it('are the same wherever the sound is cut into chunks', async () => {
      const whole = await heard(kennedy);
      expect(await heard(kennedy, [1_234, 5_000, 9_400])).toEqual(whole);
    });

    it.each([
      ['silence', (seconds: number) => new Float32Array(seconds * 16_000)],
      ['applause', applause],
      ['music', music],
    ])('are not detected in %s', async (_, made) => {
      expect(await heard(made(12))).toEqual([]);
    });
  });
}
