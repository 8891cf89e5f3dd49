/** @needs ffmpeg, weights */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packAudio } from '@adit/media';
import { sampleMedia, transcode } from '@adit/testing';
import { pulledModel } from '../testing/pulled-models.js';
import { applause, music } from '../testing/sounds.js';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';
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

const models = await pulledModel('whisper-base');
if ('reason' in models) {
  describe(`speech (skipped: ${models.reason})`, () => it.skip('all of these tests', () => undefined));
} else {
  describe('speech', () => {
    let harness: AnalysisHarness<SpeechObservations>;
    beforeAll(async () => {
      harness = await AnalysisHarness.open(speech, [OWN_MODELS, models.folder]);
    });
    afterAll(() => harness.close());

    describe('a sentence after noise, and its beginning again after a pause longer than a window', () => {
      const [before, pause] = [3, 26];
      let units: SpeechObservations[];
      let words: SpeechObservations['segments'][number]['words'];
      beforeAll(async () => {
        const noise = (seconds: number): string[] => [
          ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:amplitude=0.02:duration=${seconds}:seed=1:r=16000`],
        ];
        const path = await transcode('twice-amid-noise.flac', [
          ...[...noise(before), '-i', kennedy, ...noise(pause)],
          ...['-filter_complex', '[1]asplit[a][b];[b]atrim=0:2.6[c];[0][a][2][c]concat=n=4:v=0:a=1', '-ar', '16000'],
        ]);
        units = await harness.at(path);
        words = units.flatMap(({ segments }) => segments.flatMap((segment) => segment.words));
      });

      it('is transcribed, in its language', () => {
        expect(units.length).toBe(2);
        expect(plain(units)).toBe(`${SAID} and so my fellow americans`);
        expect(units[0]).toMatchObject({ language: 'en', translation: [] });
        expect(units[0]!.languageProbability).toBeGreaterThan(0.9);
      });

      it('has the times of the source, word by word', () => {
        for (const [i, word] of words.entries()) {
          expect(word.end).toBeGreaterThanOrEqual(word.start);
          if (i > 0) expect(word.start).toBeGreaterThanOrEqual(words[i - 1]!.end - 0.001);
        }
        expect(words[0]!.start).toBeGreaterThan(before - 0.1);
        // The speaker pauses before "ask", which the model alone places a second too soon.
        expect(words.find(({ text }) => text === 'ask')!.start).toBeGreaterThan(before + 3);
        expect(words.find(({ text }) => /^Americans\b/.test(text))!.end).toBeLessThan(before + 2.5);
        expect(words[SAID.split(' ').length - 1]!.end).toBeLessThan(before + 11.1);
        expect(words[SAID.split(' ').length]!.start).toBeGreaterThan(before + 11 + pause - 0.1);
      });
    });

    it('transcribes the same words at the same times, wherever the sound is cut into chunks', async () => {
      const path = await transcode('late.f32', [
        ...['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono,atrim=0:13', '-i', kennedy],
        ...['-filter_complex', '[0][1]concat=n=2:v=0:a=1', '-ar', '16000', '-f', 'f32le'],
      ]);
      const file = await readFile(path);
      const sound = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
      const heard = (cuts: number[]) => harness.ofSound(sound, cuts, { language: 'en', mode: 'performance' });
      const wordsOf = (units: SpeechObservations[]) =>
        units.flatMap(({ segments }) => segments.flatMap(({ words }) => words));
      const whole = wordsOf(await heard([]));
      expect(whole.length).toBe(SAID.split(' ').length);
      // One cut in the silence before, which has no language, and one in the middle of a word.
      const parts = await heard([5_000, 14_500]);
      expect(wordsOf(parts)).toEqual(whole);
      expect(parts.map(({ language }) => language)).toEqual([null, 'en', 'en']);
    });

    it('transcribes a recording in one language, including parts that alone would be taken for another', async () => {
      const file = await readFile(await transcode('kennedy.f32', ['-i', kennedy, '-ar', '16000', '-f', 'f32le']));
      const said = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
      const sound = new Float32Array(80 * 16_000);
      sound.set(said);
      // Reversed speech is a voice in no language, like names and single words.
      sound.set(said.slice(0.3 * 16_000, 1.5 * 16_000).reverse(), 60 * 16_000);
      const heard = async (part: Float32Array, cuts: number[]): Promise<(string | null)[]> =>
        (await harness.ofSound(part, cuts, { mode: 'performance' })).map(({ language }) => language);
      const alone = await heard(sound.slice(58 * 16_000, 64 * 16_000), []);
      expect(alone).toEqual([expect.any(String)]);
      expect(alone).not.toEqual(['en']);
      expect(await heard(sound, [48_000])).toEqual(['en', 'en']);
    });

    it('transcribes a part that was cut in pauses as one, wherever the whole would be cut, and without excerpts', async () => {
      const file = await readFile(await transcode('kennedy.f32', ['-i', kennedy, '-ar', '16000', '-f', 'f32le']));
      const [rate, before] = [16_000, 10];
      const sound = Buffer.concat([Buffer.alloc(before * rate * 4), file]);
      const start = (20 - before) * rate;
      const end = start + sound.length / 4;
      const place = {
        sampleRate: rate,
        channels: 1,
        start,
        end,
        ownStart: 20 * rate,
        ownEnd: end,
        window: true as const,
      };
      const none = { sampleRate: rate, channels: 1, start: 0, end: 0, ownStart: 0, ownEnd: 0 };
      const packs = [packAudio(place, sound), packAudio(none, Buffer.alloc(0))];
      const heard = await harness.ofPacks(packs, { mode: 'performance' });
      expect(plain([heard])).toBe(SAID);
      expect(heard).toMatchObject({ start: 20, language: 'en' });
      expect(heard.segments[0]!.start).toBeGreaterThan(20);
    });

    it('transcribes quiet speech like loud speech', async () => {
      const path = await transcode('quiet.flac', ['-i', kennedy, '-af', 'volume=-45dB', '-sample_fmt', 's32']);
      expect(plain(await harness.at(path, { mode: 'performance' }))).toBe(SAID);
    });

    it('transcribes nothing in silence, noise and a tune, where the model alone would', async () => {
      const sounds = [
        'anullsrc=r=16000:cl=mono,atrim=0:4',
        'anoisesrc=color=pink:amplitude=0.5:duration=4:seed=1:r=16000',
        "aevalsrc='0.3*sin(2*PI*t*220*pow(2,floor(mod(t*3,8))/12))+0.1*sin(2*PI*t*110)':s=16000:d=4",
      ];
      const inputs = sounds.flatMap((source) => ['-f', 'lavfi', '-i', source]);
      const path = await transcode('nobody.flac', [...inputs, '-filter_complex', '[0][1][2]concat=n=3:v=0:a=1']);
      expect(await harness.at(path)).toMatchObject([{ language: null, voices: [], segments: [] }]);
    });

    it.each([
      ['applause', applause],
      ['music', music],
    ])('transcribes nothing in %s, only the speech before it', async (_, made) => {
      const file = await readFile(await transcode('kennedy.f32', ['-i', kennedy, '-ar', '16000', '-f', 'f32le']));
      const said = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
      const sound = new Float32Array(24 * 16_000);
      sound.set(said);
      sound.set(made(13), said.length);
      const units = await harness.ofSound(sound, [], { language: 'en', mode: 'performance' });
      expect(plain(units)).toBe(SAID);
    });

    it('transcribes real repetitions', async () => {
      const path = await transcode('again.f32', [
        '-i',
        kennedy,
        '-ss',
        '8',
        '-t',
        '2.8',
        '-ar',
        '16000',
        '-f',
        'f32le',
      ]);
      const file = await readFile(path);
      const said = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
      const times = 7;
      const sound = new Float32Array(said.length * times);
      for (let i = 0; i < times; i++) sound.set(said, i * said.length);
      for (const mode of ['performance']) {
        const units = await harness.ofSound(sound, [], { language: 'en', mode });
        expect(plain(units)).toBe(Array(times).fill('ask what you can do for your country').join(' '));
      }
    });

    it('transcribes no loop where the sound is no language', async () => {
      const path = await transcode('backwards.f32', ['-i', kennedy, '-af', 'areverse', '-ar', '16000', '-f', 'f32le']);
      const file = await readFile(path);
      const sound = new Float32Array(file.buffer, file.byteOffset, file.length / 4);
      // In French the model alone writes 'il y a plus de neuf' 25 times.
      const units = await harness.ofSound(sound, [], { language: 'fr', mode: 'performance' });
      expect(plain(units)).not.toMatch(/(.{6,}?)\1{3}/);
    });

    it('spells words like the keywords, in the requested language', async () => {
      const path = await transcode('beginning.flac', ['-i', kennedy, '-t', '2.6']);
      const units = await harness.at(path, { language: 'en', mode: 'performance', keywords: ['my felloe Americans'] });
      expect(plain(units)).toBe('and so my felloe americans');
    });
  });
}
