import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inspectHere } from './inspect.js';
import { manifestFor } from './manifest-for.js';

/** Hugging Face exports of two small models: golden/README.md there. */
const GOLDEN = join(import.meta.dirname, '../inference/families/captioning/golden');
const NOTES = ['config.json', 'generation_config.json', 'preprocessor_config.json', 'tokenizer.json'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-captioners-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function exported(kind: string, graph: string, notes = NOTES): Promise<string> {
  const place = await mkdtemp(join(folder, 'export-'));
  for (const note of notes) await copyFile(join(GOLDEN, kind, note), join(place, note));
  const path = join(place, `${graph}.onnx`);
  await writeFile(path, gunzipSync(await readFile(join(GOLDEN, kind, `${graph}.onnx.gz`))));
  return path;
}

describe.each([
  ['gpt2', 0],
  ['trocr', 2],
])('a Hugging Face export with a decoder %s', (kind, token) => {
  it('is a picture encoder and a text decoder, without a question', async () => {
    const { proposal, exporter } = await inspectHere(await exported(kind, 'encoder_model'));
    expect([exporter, proposal.family, proposal.questions]).toEqual(['Hugging Face', 'captioning', []]);
    expect(manifestFor({ name: 'mine' }, proposal, null)).toMatchObject({
      ...{ family: 'captioning', task: 'image-to-text', modules: ['object_scene_recognition'] },
      input: {
        ...{ tensor: 'pixel_values', width: 32, height: 32, layout: 'nchw', colour: 'rgb' },
        ...{ mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5], resize: 'stretch', filter: 'antialiased' },
      },
    });
    const decoder = await inspectHere(await exported(kind, 'decoder_model_merged'));
    expect([decoder.proposal.family, decoder.proposal.questions, decoder.tokenizer]).toEqual([
      ...['text-decoder', []],
      'tokenizer.json',
    ]);
    expect(manifestFor({ name: 'mine-decoder' }, decoder.proposal, null)).toMatchObject({
      family: 'text-decoder',
      writing: { start: token, end: [token], length: 16 },
    });
  });
});

it('a text decoder without token hints leads to questions about its start and end, with the options that answer them', async () => {
  const path = await exported('trocr', 'decoder_model_merged', ['tokenizer.json']);
  const { proposal } = await inspectHere(path);
  expect(proposal.questions.map(({ flag }) => flag)).toEqual(['--start-token', '--end-token']);
  expect(() => manifestFor({ name: 'mine-decoder' }, proposal, null)).toThrow(/--start-token 0.*--end-token 0/s);
  const told = { name: 'mine-decoder', startToken: '2', endToken: '2', textLength: '30' };
  expect(manifestFor(told, proposal, null).writing).toEqual({ start: 2, end: [2], length: 30 });
  expect(() => manifestFor({ ...told, textLength: '900' }, proposal, null)).toThrow(/length/);
});

it('a text decoder is refused without its tokenizer', async () => {
  const path = await exported('gpt2', 'decoder_model_merged', ['config.json']);
  await expect(inspectHere(path)).rejects.toThrow(/It takes tokens, and no tokenizer\.json lies beside it/);
});
