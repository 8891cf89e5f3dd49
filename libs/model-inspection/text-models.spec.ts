/** @needs weights */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelRepository } from '@adit/inference';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { inspectHere } from './inspect.js';
import { manifestFor } from './manifest-for.js';

const MODELS = join(import.meta.dirname, '../../models');
/** As in PP-OCR's lists: without the blank and the space. */
let characters: string[];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-text-models-'));
  const repository = await ModelRepository.open({ roots: [MODELS] });
  characters = repository.resolve('text-recognition').manifest.labels!.slice(1, -1);
  await repository.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function exported(model: string, beside: Record<string, string> = {}): Promise<string> {
  const place = await mkdtemp(join(folder, 'export-'));
  await copyFile(join(MODELS, model, '1/model.onnx'), join(place, 'inference.onnx'));
  for (const [name, text] of Object.entries(beside)) await writeFile(join(place, name), text);
  return join(place, 'inference.onnx');
}

/** Files that PaddleOCR 3 writes beside exported models. */
const TEXT_DETECTOR = dump({
  PreProcess: {
    transform_ops: [
      { DecodeImage: { channel_first: false, img_mode: 'BGR' } },
      { DetLabelEncode: null },
      { DetResizeForTest: { resize_long: 960 } },
      { NormalizeImage: { mean: [0.485, 0.456, 0.406], order: 'hwc', scale: '1./255.', std: [0.229, 0.224, 0.225] } },
      { ToCHWImage: null },
    ],
  },
  PostProcess: { name: 'DBPostProcess', thresh: 0.3, box_thresh: 0.6, unclip_ratio: 1.5 },
});

it('a text detector and recogniser of PaddleOCR need no answer, by the files beside them', async () => {
  const finder = await inspectHere(await exported('text-detection', { 'inference.yml': TEXT_DETECTOR }));
  expect([finder.exporter, finder.proposal.family, finder.proposal.questions]).toEqual([
    ...['PaddleOCR', 'text-detection', []],
  ]);
  expect(manifestFor({ name: 'mine-finder' }, finder.proposal, null)).toMatchObject({
    ...{ family: 'text-detection', decoding: 'db', modules: ['lower_third_recognition'] },
    input: {
      width: 960,
      height: 544,
      colour: 'bgr',
      resize: 'letterbox',
      mean: [123.675, 116.28, expect.closeTo(103.53)],
    },
  });

  const config = { PreProcess: { transform_ops: [{ DecodeImage: { img_mode: 'BGR' } }] } };
  const post = { PostProcess: { name: 'CTCLabelDecode', character_dict: characters } };
  const reader = await inspectHere(
    await exported('text-recognition', { 'inference.yml': dump({ ...config, ...post }) }),
  );
  expect([reader.proposal.family, reader.proposal.questions]).toEqual(['text-recognition', []]);
  const manifest = manifestFor({ name: 'mine' }, reader.proposal, null);
  expect(manifest).toMatchObject({
    ...{ family: 'text-recognition', decoding: 'ctc' },
    input: { width: 320, height: 48, openWidth: true, colour: 'bgr', mean: [127.5, 127.5, 127.5] },
  });
  expect(manifest.labels).toEqual(['', ...characters, ' ']);
}, 120_000);

it('characters are read from charset.txt, in which a space is one of them', async () => {
  const path = await exported('text-recognition', { 'charset.txt': [...characters, ' '].join('\n') });
  const { proposal } = await inspectHere(path);
  expect(proposal.questions.map(({ flag }) => flag)).toEqual(['--colour', '--mean and --std']);
  const pixels = { colour: 'bgr', mean: '127.5', std: '127.5' };
  expect(manifestFor({ name: 'mine', ...pixels }, proposal, null).labels).toEqual(['', ...characters, ' ']);
  const few = { name: 'mine', ...pixels, labels: ['a', 'b'] };
  expect(() => manifestFor(few, proposal, null)).toThrow('It has 6625 classes, and 2 labels were given.');
}, 120_000);

it.each([
  ['PostProcess: [', 'is not YAML as PaddleOCR writes it'],
  ['a: &a [x]\nPostProcess: {name: *a}', 'is not YAML as PaddleOCR writes it'],
  ['PreProcess: {}', 'is not as PaddleOCR writes it (PostProcess'],
])('an inference.yml is refused that says %j', async (text, reason) => {
  await expect(inspectHere(await exported('text-detection', { 'inference.yml': text }))).rejects.toThrow(reason);
});
