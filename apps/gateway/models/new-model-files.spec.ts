/** @needs build */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Model, Problem } from '@adit/contracts';
import { OUTSIDE_FACTORS, outsideColourGraph } from '@adit/inference/spec-graph';
import { describe, expect, it } from '@jest/globals';
import { create as createTar } from 'tar';
import {
  useNewModelGateway,
  LONG,
  LABELS,
  answers,
  base,
  folder,
  graph,
  admin,
  fresh,
  add,
  added,
  as,
  zipped,
} from './testing/new-model-gateway.js';

useNewModelGateway();

/** The same archive with a path in it that no writer of archives lets through. */
const renamed = (archive: Buffer, from: string, to: string): Buffer =>
  Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');

describe('a graph whose weights lie beside it, as PyTorch writes it', () => {
  const colours = { labels: 'red\ngreen\nblue', colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };
  const outside = outsideColourGraph(32, 'best.onnx.data');
  /** Parts of a form in that order: field, name of the file, bytes. */
  async function addParts(...parts: [field: string, name: string, bytes: Buffer][]) {
    const form = new FormData();
    const name = fresh();
    for (const [key, value] of Object.entries({ name, family: 'classifier', ...colours })) form.append(key, value);
    for (const [field, file, bytes] of parts) form.append(field, new Blob([new Uint8Array(bytes)]), file);
    const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers: as(admin) });
    return { name, status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }
  const graphPart: [string, string, Buffer] = ['file', 'best.onnx', outside];
  const weights = (field = 'data', name = 'best.onnx.data'): [string, string, Buffer] => [field, name, OUTSIDE_FACTORS];

  it.each([
    ['in two fields', [graphPart, weights()]],
    ['whichever comes first', [weights(), graphPart]],
    ['as two files of one field', [weights('file'), graphPart]],
  ])(
    'is a model %s',
    async (_, parts) => {
      const { status, body } = await addParts(...parts);
      expect([status, body['detail']]).toEqual([200, undefined]);
      expect(Model.parse(body)).toMatchObject({ family: 'classifier', labels: ['red', 'green', 'blue'] });
    },
    LONG,
  );

  it(
    'is a model as an archive',
    async () => {
      const archive = await zipped({ 'best/best.onnx': outside, 'best/best.onnx.data': OUTSIDE_FACTORS });
      expect((await addParts(['file', 'best.zip', archive])).status).toBe(200);
    },
    LONG,
  );

  it(
    'is refused without them, with those that lie elsewhere, and beyond the bound of all together',
    async () => {
      const many = Array.from({ length: 33 }, (_, at) => weights('data', `best.${at}.data`));
      const half = Buffer.alloc(17 << 20);
      const refused: [[string, string, Buffer][], number, RegExp, string?][] = [
        [[graphPart], 400, /lies in "best\.onnx\.data", which is missing: .*in the field data/, '/data'],
        [[graphPart, weights('data', 'other.data')], 400, /"best\.onnx\.data", which is missing/, '/data'],
        [[['file', 'a.onnx', outsideColourGraph(32, '../best.onnx.data')], weights()], 400, /outside of the model/],
        [[graphPart, weights(), weights()], 400, /best\.onnx\.data twice/, '/data'],
        [[graphPart, weights('data', '.hidden')], 400, /names ".hidden"/, '/data'],
        [[graphPart, ['file', 'more.onnx', outside], weights()], 400, /2 ONNX files/, '/file'],
        [[weights()], 400, /in the field "file"/, '/file'],
        [[['file', 'best.zip', await zipped({ 'model.onnx': outside })], weights()], 400, /archive .* alone/, '/data'],
        [[graphPart, ...many], 400, /at most 33 files/],
        [
          [
            ['file', 'best.onnx', half],
            ['data', 'best.onnx.data', half],
          ],
          413,
          /at most 33554432 bytes/,
        ],
      ];
      const before = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      for (const [parts, status, message, pointer] of refused) {
        const answer = await addParts(...parts);
        expect([answer.status, answer.body['detail']]).toEqual([status, expect.stringMatching(message)]);
        if (pointer !== undefined) expect(Problem.parse(answer.body).errors).toMatchObject([{ pointer }]);
      }
      expect((await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`))).toEqual(before);
    },
    LONG,
  );
});

describe('an archive', () => {
  it.each(['zip', 'tar', 'tar.gz'])(
    '%s with the labels beside the graph is a model',
    async (kind) => {
      const { labels: _, ...others } = answers;
      const files = { 'best/model.onnx': graph, 'best/labels.txt': LABELS };
      let archive: Buffer;
      if (kind === 'zip') archive = await zipped(files);
      else {
        const at = await mkdtemp(join(folder, 'tar-'));
        await mkdir(join(at, 'best'));
        for (const [path, content] of Object.entries(files)) await writeFile(join(at, path), content);
        const file = join(at, 'a.tar');
        await createTar({ cwd: at, file, gzip: kind === 'tar.gz' }, ['best']);
        archive = await readFile(file);
      }
      expect(await added({ name: fresh(), ...others }, archive)).toMatchObject({
        labels: expect.arrayContaining(['thing 79']),
      });
    },
    LONG,
  );

  it(
    'in Triton’s layout needs no answer that its config.pbtxt gives, and is asked for the others by fields',
    async () => {
      const config = `
        platform: "onnxruntime_onnx"
        max_batch_size: 4
        input { name: "input.1" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 320, 320 ] }
        output { name: "output" label_filename: "coco.txt" }
        parameters { key: "colour" value: { string_value: "bgr" } }
        parameters { key: "mean" value: { string_value: "103.53, 116.28, 123.675" } }
        parameters { key: "std" value: { string_value: "57.375, 57.12, 58.395" } }`;
      const files = { 'mine/config.pbtxt': config, 'mine/coco.txt': LABELS, 'mine/1/model.onnx': graph };
      const asked = await add({ name: fresh() }, await zipped(files));
      expect(asked).toMatchObject({ status: 400, body: { errors: [{ pointer: '/resize', code: 'missing' }] } });
      expect(await added({ name: fresh(), resize: 'letterbox' }, await zipped(files))).toMatchObject({
        labels: expect.arrayContaining(['thing 79']),
      });
      const { 'mine/coco.txt': _, ...without } = files;
      const refused = await add({ name: fresh(), resize: 'letterbox' }, await zipped(without));
      expect(refused).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/label_filename "coco.txt"/) },
      });
    },
    LONG,
  );

  it(
    'that is hostile is refused, and leaves nothing behind',
    async () => {
      const links = await mkdtemp(join(folder, 'links-'));
      await symlink('/etc/passwd', join(links, 'model.onnx'));
      await createTar({ cwd: links, file: join(folder, 'links.tar') }, ['model.onnx']);
      const two = await zipped({ 'a.onnx': 'x', 'b.onnx': 'x' });
      const hostile: [Buffer, number, RegExp][] = [
        [renamed(await zipped({ 'aa/model.onnx': 'x' }), 'aa/model.onnx', '../model.onnx'), 400, /archive/],
        [renamed(await zipped({ 'a/model.onnx': 'x' }), 'a/model.onnx', '//model.onnx'), 400, /archive/],
        [await zipped({ 'model.onnx': '/etc/passwd' }, { mode: 0o120777 }), 400, /links and devices/],
        [await readFile(join(folder, 'links.tar')), 400, /links and devices/],
        [await zipped({ 'model.onnx': Buffer.alloc(64 << 20) }), 413, /more than/],
        [await zipped(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x']))), 413, /entries/],
        [await zipped({ 'readme.txt': 'x' }), 400, /holds no ONNX file/],
        [await zipped({ 'model.onnx': graph, 'model.yaml': '# x\n'.repeat(300_000) }), 400, /at most 1048576 are read/],
        [two, 400, /several ONNX files/],
        [(await zipped({ 'model.onnx': randomBytes(200_000) })).subarray(0, 100_000), 400, /cannot be read/],
        [Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4]), 400, /archive/],
        [Buffer.from('what is this'), 400, /./],
        [Buffer.alloc((32 << 20) + 1), 413, /at most/],
      ];
      const before = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      for (const [archive, status, message] of hostile) {
        const { status: answered, body } = await add({ name: fresh(), ...answers }, archive);
        expect([answered, body['detail']]).toEqual([status, expect.stringMatching(message)]);
      }
      const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      expect(left.filter((name) => !before.includes(name))).toEqual([]);
    },
    LONG,
  );
});
