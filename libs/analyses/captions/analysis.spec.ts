/** @needs ffmpeg, weights */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RgbImage } from '@adit/inference';
import { transcode } from '@adit/testing';
import { z } from 'zod';
import { CAPTIONERS, writeCaptioner } from '../testing/captioners.js';
import { AnalysisHarness } from '../testing/analysis-harness.js';
import captions from './analysis.js';
import type { CaptionObservations } from './observations.js';
import { captionerOf, writeCaption } from './write-caption.js';

const Colour = z.tuple([z.number(), z.number(), z.number()]);
const Golden = z.array(
  z.object({
    ...{ width: z.int(), height: z.int(), top: Colour, bottom: Colour },
    ...{ text: z.string(), confidence: z.number() },
  }),
);

let models: string;
let harness: AnalysisHarness<CaptionObservations>;
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'adit-captions-'));
  await writeCaptioner(models, 'gpt2', 'gpt2');
  await writeCaptioner(models, 'trocr', 'trocr');
  harness = await AnalysisHarness.open(captions, models);
});
afterAll(async () => {
  await harness?.close();
  await rm(models, { recursive: true, force: true });
});

/** Two halves of one colour each; the lower one is a row larger where they cannot be equal. */
function halves({ width, height, top, bottom }: z.infer<typeof Golden>[number]): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set(i < width * Math.floor(height / 2) ? top : bottom, i * 3);
  return { width, height, data };
}

describe.each(['gpt2', 'trocr'])('a model that Hugging Face exports with a decoder %s', (name) => {
  it('writes the same text as PyTorch, with the same confidence', async () => {
    const golden = Golden.parse(JSON.parse(await readFile(join(CAPTIONERS, name, 'captions.json'), 'utf8')));
    expect(golden.length).toBeGreaterThanOrEqual(20);
    const [encoder, decoder] = await Promise.all(
      [name, `${name}-decoder`].map((each) => harness.pool.acquire(harness.repository.resolve(each))),
    );
    const captioner = await captionerOf(encoder!.network, decoder!.network);
    for (const one of golden) {
      const caption = await writeCaption(captioner, halves(one), AbortSignal.timeout(60_000));
      expect(caption?.text).toBe(one.text);
      expect(Math.abs((caption?.confidence ?? 0) - one.confidence)).toBeLessThan(0.001);
    }
    encoder!.release();
    decoder!.release();
  });
});

const FILM =
  'color=red:s=160x60:r=10:d=4[a];color=lime:s=160x60:r=10:d=4[b];[a][b]vstack[x];color=white:s=160x60:r=10:d=3[c];color=blue:s=160x60:r=10:d=3[d];[c][d]vstack[y];[x][y]concat';

it('the analysis describes each shot of a film once, by its middle', async () => {
  const film = await transcode('captions.mp4', ['-f', 'lavfi', '-i', FILM, '-g', '50', '-pix_fmt', 'yuv420p']);
  const kept = new Map<string, RgbImage>();
  const [seen] = await harness.at(film, { model: 'gpt2', side: 600 }, kept);
  expect(seen?.sampled).toHaveLength(14);
  expect(seen?.captions.map(({ text, from, to, frame }) => [text, from, to, frame])).toEqual([
    ['red above green', 0, 35, 15],
    ['white above blue', 40, 65, 50],
  ]);
  for (const { confidence } of seen?.captions ?? []) expect(confidence).toBeGreaterThan(0.9);
  expect(kept.get(seen!.captions[1]!.picture.key)).toMatchObject({ width: 160, height: 120 });
  expect(await harness.at(film, { model: 'gpt2', side: 600 })).toEqual([seen]);
});
