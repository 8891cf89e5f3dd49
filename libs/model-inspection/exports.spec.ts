/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { onnx } from 'onnx-proto';
import { z } from 'zod';
import { readHints } from './exporter-hints.js';
import { manifestFor } from './manifest-for.js';
import { readOutline } from './onnx-outline.js';
import { propose, type Proposal } from './propose.js';
import { model, node, reading, value } from './testing/onnx-file.js';

const REPOSITORY = join(import.meta.dirname, '../..');
/** ONNX's numbers of the types in these graphs. */
const TYPES = { float32: 1, int64: 7 } as const;
const Value = z.object({
  name: z.string(),
  type: z.enum(['float32', 'int64']),
  axes: z.array(z.union([z.int(), z.string()])),
});
/** Recorded exports without the weights: golden/README.md. */
const Exports = z.record(
  z.string(),
  z.object({
    ...{ by: z.string(), producer: z.string(), opset: z.int() },
    ...{ inputs: z.array(Value), outputs: z.array(Value) },
    ...{ metadata: z.record(z.string(), z.string()), files: z.record(z.string(), z.unknown()) },
  }),
);
const EXPORTS = Exports.parse(JSON.parse(await readFile(join(import.meta.dirname, 'golden/exports.json'), 'utf8')));

/** Returns the proposal for a graph with the same inputs, outputs and notes. */
async function recorded(name: string): Promise<{ by: string; proposal: Proposal }> {
  const { by, producer, opset, inputs, outputs, metadata, files } = EXPORTS[name]!;
  const values = (all: z.infer<typeof Value>[]) => all.map((one) => value(one.name, one.axes, TYPES[one.type]));
  const nodes = outputs.map((one) => node('Identity', [inputs[0]!.name], [one.name]));
  const graph: onnx.IGraphProto = { input: values(inputs), output: values(outputs), node: nodes };
  const metadataProps = Object.entries(metadata).map(([key, text]) => ({ key, value: text }));
  const bytes = model(graph, { metadataProps, producerName: producer, opsetImport: [{ domain: '', version: opset }] });
  const notes = Object.fromEntries(Object.entries(files).map(([file, content]) => [file, JSON.stringify(content)]));
  return { by, proposal: await proposed(bytes, notes) };
}

function proposed(bytes: Uint8Array, notes: Record<string, string>): Promise<Proposal> {
  return reading(bytes, (file) => {
    const outline = readOutline(file);
    return propose(outline, readHints(outline, notes));
  });
}

/** A real graph of the repository, with the notes beside it. */
async function installed(path: string, notes: readonly string[] = []): Promise<Proposal> {
  const bytes = await readFile(join(REPOSITORY, path));
  const folder = join(REPOSITORY, path, '..');
  const texts = await Promise.all(
    notes.map(async (note): Promise<[string, string]> => [note, await readFile(join(folder, note), 'utf8')]),
  );
  return proposed(path.endsWith('.gz') ? gunzipSync(bytes) : bytes, Object.fromEntries(texts));
}

const NOTES = ['config.json', 'generation_config.json', 'preprocessor_config.json'];
const CAPTIONERS = 'libs/inference/families/captioning/golden';
const CLASSIFIER = 'libs/inference/families/classifier/golden';
const FORMS = ['float32', 'int8-qdq', 'int8-qoperator', 'int8-dynamic', 'float16', 'float16-inside'];
const PAIRS = 'libs/inference/families/image-text/golden';
const PIXELS = ['--colour', '--mean and --std', '--resize'];

/** Export, exporter, family, decoding, and the flags of unanswered questions. */
type Row = [export_: string, by: string, family: string | null, decoding: string | null, asked: string[]];
const RECORDED: Row[] = [
  ['vit-classifier', 'Hugging Face', 'classifier', 'softmax', []],
  ['resnet-classifier', 'Hugging Face', 'classifier', 'softmax', []],
  ['detr', 'Hugging Face', 'detector', 'detr', ['--size']],
  ['yolos', 'Hugging Face', 'detector', 'detr', []],
  ['rt-detr', 'Hugging Face', 'detector', 'rt-detr', []],
  ['siglip-vision', 'Hugging Face', 'image-text', 'siglip', ['--logit-scale']],
  ['timm-resnet10t', 'timm', 'classifier', 'softmax', ['--labels']],
  ['timm-embedding', 'timm', 'embedding', null, ['--max-distance']],
  ['yolov5u', 'Ultralytics', 'detector', 'yolov8', []],
  ['yolov8', 'Ultralytics', 'detector', 'yolov8', []],
  ['yolov8-nms', 'Ultralytics', 'detector', 'boxes', []],
  ['yolov10', 'Ultralytics', 'detector', 'yolov8', []],
  ['yolo11-dynamic', 'Ultralytics', 'detector', 'yolov8', []],
  ['yolo11-cls', 'Ultralytics', 'classifier', 'softmax', ['--labels']],
  ['yolo12', 'Ultralytics', 'detector', 'yolov8', []],
];
const REAL: [...Row, readonly string[]][] = [
  [`${CAPTIONERS}/gpt2/encoder_model.onnx.gz`, 'Hugging Face', 'captioning', null, [], NOTES],
  [`${CAPTIONERS}/trocr/encoder_model.onnx.gz`, 'Hugging Face', 'captioning', null, [], NOTES],
  [`${CAPTIONERS}/gpt2/decoder_model_merged.onnx.gz`, 'Hugging Face', 'text-decoder', null, [], NOTES],
  [`${CAPTIONERS}/trocr/decoder_model_merged.onnx.gz`, 'Hugging Face', 'text-decoder', null, [], NOTES],
  [`${PAIRS}/clip/vision_model.onnx.gz`, 'PyTorch', 'image-text', 'clip', ['--logit-scale'], [NOTES[0]!, NOTES[2]!]],
  [`${PAIRS}/clip/text_model.onnx.gz`, 'PyTorch', 'text-embedding', null, [], [NOTES[0]!]],
  [
    `${PAIRS}/siglip/vision_model.onnx.gz`,
    'PyTorch',
    'image-text',
    'siglip',
    ['--logit-scale'],
    [NOTES[0]!, NOTES[2]!],
  ],
  [`${PAIRS}/siglip/text_model.onnx.gz`, 'PyTorch', 'text-embedding', null, [], [NOTES[0]!]],
  [
    'models/face-embedding/1/model.onnx',
    'faceplugin',
    'face-embedding',
    'arcface',
    ['--max-distance', ...PIXELS.slice(0, 2)],
    [],
  ],
  ...FORMS.map((form): (typeof REAL)[number] => {
    return [`${CLASSIFIER}/${form}.onnx.gz`, 'ONNX Runtime', 'classifier', 'softmax', ['--labels', ...PIXELS], []];
  }),
  ['models/ultraface/1/model.onnx', 'Linzaer', 'face-detector', 'ultraface', PIXELS, []],
  ['models/text-detection/1/model.onnx', 'PaddleOCR', 'text-detection', 'db', ['--colour', '--mean and --std'], []],
  [
    'models/text-recognition/1/model.onnx',
    'PaddleOCR',
    'text-recognition',
    'ctc',
    ['--labels', '--colour', '--mean and --std'],
    [],
  ],
  ['models/general-c/1/model.onnx', 'NanoDet', 'detector', 'nanodet', ['--labels', ...PIXELS], []],
];

const seen = ({ family, decoding, questions }: Proposal) => [family, decoding, questions.map(({ flag }) => flag)];

describe('an export', () => {
  it.each(RECORDED)('%s of %s is recognised as %s', async (name, by, family, decoding, asked) => {
    const export_ = await recorded(name);
    expect([export_.by, ...seen(export_.proposal)]).toEqual([by, family, decoding, asked]);
  });

  it.each(REAL)('%s of %s is recognised as %s', async (path, _, family, decoding, asked, notes) => {
    expect(seen(await installed(path, notes))).toEqual([family, decoding, asked]);
  });

  it('runs pictures in batches, unless the graph computes its ranges per batch', async () => {
    const rows = await Promise.all(FORMS.map((form) => installed(`${CLASSIFIER}/${form}.onnx.gz`, [])));
    expect(rows.map(({ maxBatch }) => maxBatch)).toEqual(FORMS.map((form) => (form === 'int8-dynamic' ? 1 : null)));
  });

  it('needs no answer for at least twelve exports of six families by four exporters', () => {
    const rows = [...RECORDED, ...REAL];
    const right = rows.filter(([, , family]) => family !== null);
    expect(right.length).toBeGreaterThanOrEqual(12);
    expect(new Set(right.map(([, , family]) => family)).size).toBeGreaterThanOrEqual(6);
    expect(new Set(right.map(([, by]) => by)).size).toBeGreaterThanOrEqual(4);
    expect(rows.filter(([, , , , asked]) => asked.length === 0).length).toBeGreaterThanOrEqual(12);
  });

  it('gives a manifest without answers, or questions with flags', async () => {
    for (const [name, , , , asked] of RECORDED) {
      const { proposal } = await recorded(name);
      const made = () => manifestFor({ name: 'mine' }, proposal, null);
      if (asked.length === 0) expect(made().family).toBe(proposal.family);
      else expect(made).toThrow(asked[0]!);
    }
  });
});
