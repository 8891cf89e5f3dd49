/** @needs weights, build */
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { textEncoderGraph } from '@adit/inference/spec-graph';
import type { onnx } from 'onnx-proto';
import { z } from 'zod';
import { inspectModel } from './inspect-model.js';
import type { Inspection } from './inspect.js';
import { manifestFor } from './manifest-for.js';
import { external, loop, PICTURE, simple, Z } from './testing/hostile-files.js';
import { graphOf, model, modelFolder, node } from './testing/onnx-file.js';

const models = join(import.meta.dirname, '../../models');
let remove: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(remove.map((each) => each()));
  remove = [];
});

async function folderOf(files: Record<string, Uint8Array | string>): Promise<string> {
  const folder = await modelFolder(files);
  remove.push(folder.remove);
  return folder.path('model.onnx');
}

async function inspected(files: Record<string, Uint8Array | string>): Promise<Inspection> {
  return inspectModel(await folderOf(files));
}

function refused(message: RegExp): object {
  return { code: 'VALIDATION', message: expect.stringMatching(message) };
}

describe('a text encoder', () => {
  const graph = textEncoderGraph(Array.from({ length: 1_200 }, () => [1, 2, 3]));
  const config = JSON.stringify({ architectures: ['CLIPModel'], text_config: { max_position_embeddings: 77 } });
  const file = join(import.meta.dirname, '../inference/families/text-embedding/golden/tokenizers.json');
  const inspectedWith = async (tokenizer: (good: object) => object | null): Promise<Inspection> => {
    const { clip } = z
      .object({ clip: z.object({ tokenizer: z.looseObject({}) }) })
      .parse(JSON.parse(await readFile(file, 'utf8')));
    const beside = tokenizer(clip.tokenizer);
    const files: Record<string, string> = beside === null ? {} : { 'tokenizer.json': JSON.stringify(beside) };
    return inspected({ 'model.onnx': graph, 'config.json': config, ...files });
  };

  it('is recognised with its tokenizer, and needs no answer', async () => {
    const { proposal, tokenizer } = await inspectedWith((good) => good);
    const text = { tensor: 'input_ids', mask: null, length: 77, pad: null };
    expect(proposal).toMatchObject({ family: 'text-embedding', dimensions: 3, text, questions: [] });
    expect(tokenizer).toBe('tokenizer.json');
    expect(manifestFor({ name: 'mine-text' }, proposal, null)).toMatchObject({
      ...{ family: 'text-embedding', dimensions: 3, modules: ['object_scene_recognition'] },
      text: { tensor: 'input_ids', length: 77, template: 'This is a photo of {}.' },
    });
  });

  it.each<[string, (good: object) => object | null, RegExp]>([
    ['none', () => null, /no tokenizer\.json lies beside it: save_pretrained\(\)/],
    [
      'one with a pattern that never ends',
      (good) => ({ ...good, pre_tokenizer: { type: 'Split', pattern: { Regex: '(a+)+$' } } }),
      /may take for ever/,
    ],
  ])('is refused with %s', async (_, tokenizer, message) => {
    await expect(inspectedWith(tokenizer)).rejects.toThrow(message);
  });
});

describe('inspection in a separate process', () => {
  it('reads and runs an installed network', async () => {
    const { proposal, trial, size } = await inspectModel(join(models, 'ultraface/1/model.onnx'));
    expect(proposal).toMatchObject({ family: 'face-detector', decoding: 'ultraface', maxBatch: null });
    expect(proposal.input).toMatchObject({ tensor: 'input', layout: 'nchw', width: 320, height: 240 });
    expect(trial.outputs.map(({ dims }) => dims)).toEqual([
      [1, 4420, 2],
      [1, 4420, 4],
    ]);
    expect(size).toBeGreaterThan(1_000_000);
  });

  it('reads external weights', async () => {
    const data = new Uint8Array(Float32Array.from([1, 2]).buffer);
    const { external: files } = await inspected({ 'model.onnx': model(external('weights.bin')), 'weights.bin': data });
    expect(files).toEqual([{ name: 'weights.bin', size: 8 }]);
  });

  it('reads notes beside the graph that an editor saved in UTF-16', async () => {
    const graph = graphOf([1, 3, 64, 64], { logits: [1, 2] });
    const labels = Buffer.from('\uFEFFbeach\r\nsea\r\n', 'utf16le');
    const { proposal } = await inspected({ 'model.onnx': model(graph), 'labels.txt': labels });
    expect(proposal).toMatchObject({ family: 'classifier', labels: ['beach', 'sea'] });
    const latin = { 'model.onnx': model(graph), 'labels.txt': Buffer.from('Stra\xdfe\nsea', 'latin1') };
    await expect(inspected(latin)).rejects.toMatchObject(refused(/^labels\.txt beside the graph is not UTF-8 text/));
  });

  it('accepts operators that the file defines itself', async () => {
    const graph = simple({ node: [node('Twice', ['y'], ['z'], { domain: 'mine' })], ...Z });
    const opsetImport = [
      { domain: '', version: 17 },
      { domain: 'mine', version: 1 },
    ];
    const nodes = [node('Add', ['x', 'x'], ['t'])];
    const twice = { name: 'Twice', domain: 'mine', input: ['x'], output: ['t'], node: nodes, opsetImport };
    const functions = { opsetImport, functions: [twice] } as onnx.IModelProto;
    expect((await inspected({ 'model.onnx': model(graph, functions) })).outline.functions).toEqual(['mine:Twice']);
  });
});

describe('a refused model', () => {
  it('reaches outside weights by a link', async () => {
    const path = await folderOf({ 'model.onnx': model(external('weights.bin')) });
    const outside = await modelFolder({ 'secret.bin': new Uint8Array(8) });
    remove.push(outside.remove);
    await symlink(outside.path('secret.bin'), join(path, '../weights.bin'));
    await expect(inspectModel(path)).rejects.toMatchObject(refused(/outside of the model's folder/));
  });

  it('has truncated weights', async () => {
    const path = await folderOf({ 'model.onnx': model(external('weights.bin')) });
    await writeFile(join(path, '../weights.bin'), new Uint8Array(5));
    await expect(inspectModel(path)).rejects.toMatchObject(refused(/has 5: copy the whole file/));
  });

  it('has an invalid note of its exporter', async () => {
    const files = { 'model.onnx': model(simple()), 'preprocessor_config.json': '{"image_mean": "red"}' };
    await expect(inspected(files)).rejects.toMatchObject(refused(/preprocessor_config.json.*image_mean/));
  });

  it('runs endlessly', async () => {
    const path = await folderOf({ 'model.onnx': model(loop(1e15)) });
    const limits = { timeoutSeconds: 3, memoryBytes: 8 * 1024 ** 3 };
    await expect(inspectModel(path, { limits })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('exceeds its memory', async () => {
    const graph = graphOf(PICTURE, { y: [1024, 1024, 1024, 2] });
    await expect(inspected({ 'model.onnx': model(graph) })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('does not exist', async () => {
    await expect(inspectModel('/nowhere/model.onnx')).rejects.toMatchObject(refused(/cannot be read/));
    await expect(inspectModel(models)).rejects.toMatchObject(refused(/no file/));
  });

  it('is abandoned on abort', async () => {
    const path = await folderOf({ 'model.onnx': model(loop(1e15)) });
    const left = new Error('left');
    const controller = new AbortController();
    const inspection = inspectModel(path, { signal: controller.signal });
    setTimeout(() => controller.abort(left), 500);
    await expect(inspection).rejects.toBe(left);
  });
});
