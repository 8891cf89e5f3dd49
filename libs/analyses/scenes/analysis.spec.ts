/** @needs ffmpeg, weights */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RgbImage } from '@adit/inference';
import { transcode } from '@adit/testing';
import { writeColourClassifier, writeColourScenes } from '../testing/colour-scenes.js';
import { writeColourWords } from '../testing/colour-words.js';
import { AnalysisHarness } from '../testing/analysis-harness.js';
import scenes from './analysis.js';
import { likely } from './classify.js';
import type { SceneObservations } from './observations.js';

const FILM = 'color=red:s=160x120:r=10:d=2[a];color=lime:s=160x120:r=10:d=2[b];[a][b]concat';
let models: string;
let harness: AnalysisHarness<SceneObservations>;
let film: string;
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'adit-scenes-'));
  await writeColourScenes(models);
  await writeColourClassifier(models, 'colours');
  await writeColourWords(models, 'clip', { more: 'labels: [a blue sea]\n' });
  await writeColourWords(models, 'torn', { width: 4 });
  harness = await AnalysisHarness.open(scenes, models);
  film = await transcode('red-green.mp4', ['-f', 'lavfi', '-i', FILM, '-g', '50', '-pix_fmt', 'yuv420p']);
});
afterAll(async () => {
  await harness?.close();
  await rm(models, { recursive: true, force: true });
});

describe('a film', () => {
  it('has the best few scenes of every sample, and a picture of each likely one', async () => {
    const kept = new Map<string, RgbImage>();
    const [seen] = (await harness.at(film, {}, kept)) as [SceneObservations];
    expect(seen.sampled.map(({ scenes: [best] }) => best?.label)).toEqual([
      ...Array<string>(4).fill('sunset'),
      ...Array<string>(4).fill('forest'),
    ]);
    for (const { scenes: found } of seen.sampled) expect(found[0]?.score).toBeGreaterThan(0.99);
    expect(seen.views.map(({ label, frame }) => [label, frame])).toEqual([
      ['sunset', 0],
      ['forest', 20],
    ]);
    expect(kept.get(seen.views[1]!.picture.key)).toMatchObject({ width: 160, height: 120 });
    expect(await harness.at(film)).toEqual([seen]);
  });

  it('is refused when labels and values differ in number', async () => {
    const other = await mkdtemp(join(tmpdir(), 'adit-scenes-'));
    await writeColourScenes(other, ['day', 'night']);
    const wrong = await AnalysisHarness.open(scenes, other);
    await expect(wrong.at(film)).rejects.toThrow(/gives 3 values and model.yaml names 2 labels/);
    await wrong.close();
    await rm(other, { recursive: true });
  });
});

describe('a photo', () => {
  it("is classified by the user's classifier, in its centre and with independent labels", async () => {
    // Red above and below, which is cropped; the centre is cyan.
    const rows = 'color=red:s=80x160[a];color=cyan:s=80x80[b];[a][b]overlay=0:40:format=gbrp';
    const photo = await transcode('cyan-in-red.png', ['-f', 'lavfi', '-i', rows, '-frames:v', '1']);
    const [seen] = (await harness.at(photo, { model: 'colours', side: 600 })) as [SceneObservations];
    expect(seen.sampled[0]!.scenes.map(({ label }) => label)).toEqual(['forest', 'sea']);
    for (const { score } of seen.sampled[0]!.scenes) expect(score).toBeGreaterThan(0.97);
  });
});

describe('words for an image-text model', () => {
  it('are scored in every sample, beside the labels of the model', async () => {
    const words = ['red car', 'green tree'];
    const [seen] = (await harness.at(film, { model: 'clip', side: 600, words, presets: true })) as [SceneObservations];
    expect(seen.sampled.map(({ scenes: [best] }) => best?.label)).toEqual([
      ...Array<string>(4).fill('red car'),
      ...Array<string>(4).fill('green tree'),
    ]);
    expect(seen.views.map(({ label }) => label)).toEqual(['red car', 'green tree']);
    // exp(10) against two exp(0): the shares of a softmax over all words.
    for (const { scenes: found } of seen.sampled) expect(found[0]?.score).toBeCloseTo(0.9999, 3);
    const [sea] = (await harness.at(film, { model: 'clip', side: 600, words: ['green tree'], presets: true })) as [
      SceneObservations,
    ];
    expect(sea.sampled[0]?.scenes.map(({ label, score }) => [label, score])).toEqual([
      ['green tree', 0.5],
      ['a blue sea', 0.5],
    ]);
  });

  it('are refused where the encoders belong to different models, and where there are none', async () => {
    const asked = (model: string, words: string[]) => harness.at(film, { model, side: 600, words, presets: false });
    await expect(asked('torn', ['red'])).rejects.toThrow(
      'torn gives 3 numbers and torn-text gives 4: they are not of one model.',
    );
    await expect(asked('clip', [])).rejects.toThrow('has no words to look for');
  });
});

describe('scores', () => {
  it('are kept when they are significant, five at most, the highest first', () => {
    const shares = Float32Array.of(0.04, 0.1, 0.3, 0.08, 0.2, 0.11, 0.17);
    const found = likely(shares, [...'abcdefg']);
    expect(found.map(({ label }) => label)).toEqual(['c', 'e', 'g', 'f', 'b']);
  });
});
