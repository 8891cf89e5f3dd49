/** @jest-environment <rootDir>/models/testing/onnx-environment.mjs */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia, transcode } from '@adit/testing';
import { speechModels } from '../testing/speech-models.js';
import { OWN_MODELS, SpecLook } from '../testing/spec-look.js';
import speech from './analysis.js';
import type { SpeechObservations } from './observations.js';

const { kennedy } = sampleMedia();
const SAID = 'and so my fellow americans ask not what your country can do for you ask what you can do for your country';

const plain = (observations: readonly SpeechObservations[]): string =>
  observations
    .flatMap(({ segments }) => segments.map(({ text }) => text))
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z ]/g, '');

const models = await speechModels();
if ('reason' in models) {
  describe(`speech (skipped: ${models.reason})`, () => it.skip('everything in it', () => undefined));
} else {
  describe('speech', () => {
    let look: SpecLook<SpeechObservations>;
    beforeAll(async () => {
      look = await SpecLook.open(speech, [OWN_MODELS, models.folder]);
    });
    afterAll(() => look.close());

    it('writes down what is said, in which language, and when each word is', async () => {
      const units = await look.at(kennedy);
      expect(plain(units)).toBe(SAID);
      const [unit] = units;
      expect(unit).toMatchObject({ language: 'en', translation: [] });
      expect(unit!.languageProbability).toBeGreaterThan(0.9);
      const words = unit!.segments.flatMap((segment) => segment.words);
      for (const [i, word] of words.entries()) {
        expect(word.end).toBeGreaterThanOrEqual(word.start);
        if (i > 0) expect(word.start).toBeGreaterThanOrEqual(words[i - 1]!.end - 0.001);
      }
      // He pauses before "ask", which the model alone places a second too soon.
      expect(words.find(({ text }) => text === 'ask')!.start).toBeGreaterThan(3);
      expect(words.find(({ text }) => text === 'Americans')!.end).toBeLessThan(2.5);
    });

    it('hears nobody in silence, noise and a tune, where the model alone would', async () => {
      const sounds = [
        'anullsrc=r=16000:cl=mono,atrim=0:10',
        'anoisesrc=color=pink:amplitude=0.5:duration=10:seed=1',
        "aevalsrc='0.3*sin(2*PI*t*220*pow(2,floor(mod(t*3,8))/12))+0.1*sin(2*PI*t*110)':s=16000:d=10",
      ];
      for (const [i, source] of sounds.entries()) {
        const path = await transcode(`nobody-${i}.flac`, ['-f', 'lavfi', '-i', source, '-ar', '16000']);
        const [unit] = await look.at(path);
        expect(unit).toMatchObject({ language: null, voices: [], segments: [] });
      }
    });

    it('says nothing of noise before and after speech, and keeps the times of the source', async () => {
      const noise = 'anoisesrc=color=pink:amplitude=0.02:duration=6:seed=1:r=16000';
      const path = await transcode('amid-noise.flac', [
        ...['-f', 'lavfi', '-i', noise, '-i', kennedy, '-f', 'lavfi', '-i', noise],
        ...['-filter_complex', '[0][1][2]concat=n=3:v=0:a=1', '-ar', '16000'],
      ]);
      const units = await look.at(path, { mode: 'performance' });
      expect(plain(units)).toBe(SAID);
      const words = units.flatMap(({ segments }) => segments.flatMap((segment) => segment.words));
      expect(words[0]!.start).toBeGreaterThan(5.9);
      expect(words.at(-1)!.end).toBeLessThan(17.1);
    });

    it('goes on after a pause longer than a window, in the language that was asked for', async () => {
      const path = await transcode('twice.flac', [
        ...['-i', kennedy, '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono,atrim=0:25', '-i', kennedy],
        ...['-filter_complex', '[0][1][2]concat=n=3:v=0:a=1', '-ar', '16000'],
      ]);
      const units = await look.at(path, { language: 'en', mode: 'performance' });
      expect(units.length).toBe(2);
      expect(plain(units)).toBe(`${SAID} ${SAID}`);
    });
  });
}
