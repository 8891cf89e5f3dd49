import { afterEach, describe, expect, it } from '@jest/globals';
import { inspectHere, type Inspection } from './inspect.js';
import { manifestFor } from './manifest-for.js';
import { rehearseHere } from './rehearse.js';
import type { onnx } from 'onnx-proto';
import { answering, INT64, model, modelFolder, node, value, type Answered } from './testing/onnx-file.js';

const PIXELS = { colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };
const PICTURE = [1, 3, 160, 160];
let remove: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(remove.map((each) => each()));
  remove = [];
});

interface Given {
  input?: readonly (number | string)[];
  outputs: Record<string, Answered>;
  metadata?: Record<string, string>;
  labels?: string[];
}

async function inspected(given: Given): Promise<Inspection & { folder: string }> {
  const { input = PICTURE, outputs, metadata = {}, labels } = given;
  const metadataProps = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  const files = {
    'model.onnx': model(answering(input, outputs), { metadataProps }),
    ...(labels && { 'labels.txt': labels.join('\n') }),
  };
  const folder = await modelFolder(files);
  remove.push(folder.remove);
  return { ...(await inspectHere(folder.path('model.onnx'))), folder: folder.path('') };
}

describe('a model that no job can run', () => {
  it('is refused by its input: rows of numbers, or several pictures at once', async () => {
    const rows = await inspected({
      input: ['rows', 12],
      outputs: { probabilities: { dims: [1, 3], rows: [[0.5, 0.3, 0.2]] } },
    });
    expect(rows.proposal).toMatchObject({ family: null, questions: [] });
    expect(() => manifestFor({ name: 'table' }, rows.proposal, null)).toThrow(
      /takes a picture: it takes "images" \[rows, 12\]/,
    );

    const four = await inspected({ input: [4, 3, 160, 160], outputs: { logits: { dims: [4, 3], rows: [[1, 2, 3]] } } });
    expect(() => manifestFor({ name: 'four' }, four.proposal, null)).toThrow(/exactly 4 pictures at once/);
  });
});

const two = { author: 'Ultralytics', stride: '32', names: "{0: 'cat', 1: 'dog'}", imgsz: '[160, 160]' };
const unit = (count: number) => [Array.from({ length: count }, () => 1 / Math.sqrt(count))];

describe('the answers of a graph identify its kind', () => {
  it.each<[string, Given, object]>([
    [
      'where it announces no lengths',
      {
        input: ['batch', 3, 'h', 'w'],
        outputs: { output0: { dims: [1, 1575, 8], rows: [], said: ['batch', 'anchors', 'values'] } },
        metadata: { ...two, author: '', names: "['a', 'b', 'c']" },
      },
      { family: 'detector', decoding: 'yolov5', classes: 3 },
    ],
    [
      'where it announces others',
      {
        outputs: { output0: { dims: [1, 7, 525], rows: [], said: [1, 7, 8400] } },
        labels: ['a', 'b', 'c'],
      },
      { family: 'detector', decoding: 'yolov8', classes: 3 },
    ],
    [
      'of a detector of text whose four axes are open',
      {
        input: ['DynamicDimension.0', 'DynamicDimension.1', 'DynamicDimension.2', 'DynamicDimension.3'],
        outputs: { map: { dims: [1, 1, 320, 320], rows: [], said: ['a', 'b', 'c', 'd'] } },
      },
      { family: 'text-detection', decoding: 'db', input: { layout: 'nchw', width: null, height: null } },
    ],
    [
      'of RT-DETR that says nothing of its head, by boxes in parts of the picture',
      { outputs: { output0: { dims: [1, 300, 6], rows: [[0.5, 0.5, 0.4, 0.4, 0.9, 1]] } }, metadata: two },
      { decoding: 'ultralytics-rtdetr', classes: 2, input: { resize: 'stretch' } },
    ],
    [
      'of RT-DETR with two labels and a score for each',
      {
        outputs: { output0: { dims: [1, 300, 6], rows: [[0.5, 0.5, 0.4, 0.4, 0.9, 0.05]] } },
        metadata: { ...two, head: 'RTDETRDecoder' },
      },
      { decoding: 'ultralytics-rtdetr-scores', classes: 2 },
    ],
    [
      'of YOLOv10, whose boxes are in pixels',
      { outputs: { output0: { dims: [1, 300, 6], rows: [[20, 30, 80, 90, 0.9, 1]] } }, metadata: two },
      { decoding: 'boxes', classes: 2, input: { resize: 'letterbox' } },
    ],
    [
      'of a detector with a batch that counts from 1',
      {
        outputs: {
          boxes: { dims: [1, 5, 4], rows: [[20, 30, 80, 90]] },
          labels: { dims: [1, 5], rows: [[2]], type: INT64 },
          scores: { dims: [1, 5], rows: [[0.9]] },
        },
        labels: ['cat', 'dog'],
      },
      { decoding: 'torchvision', classes: 2 },
    ],
    [
      'of YOLOX that was exported with its decoding',
      { outputs: { output: { dims: [1, 525, 8], rows: [[80, 90, 20, 30, 0.9, 0.8, 0, 0]] } }, labels: ['a', 'b', 'c'] },
      { decoding: 'yolov5', classes: 3 },
    ],
    [
      'of YOLOX as it comes',
      { outputs: { output: { dims: [1, 525, 8], rows: [[0.5, 0.5, 1, 1, 0.9, 0.8, 0, 0]] } }, labels: ['a', 'b', 'c'] },
      { decoding: 'yolox', classes: 3 },
    ],
    [
      'of a hundred kinds that nothing names',
      { outputs: { output: { dims: [1, 100], rows: [[3, 1, -2]] } } },
      { family: 'classifier', decoding: 'softmax', classes: 100 },
    ],
    [
      'of shares of 1, as many as an embedding is long',
      { outputs: { output: { dims: [1, 128], rows: [[0.5, 0.25, 0.25]] } } },
      { family: 'classifier', classes: 128 },
    ],
    [
      'of vectors of length 1, however many numbers they have',
      { outputs: { output: { dims: [1, 100], rows: unit(100) } } },
      { family: 'embedding', dimensions: 100 },
    ],
  ])('%s', async (_, given, wanted) => {
    expect((await inspected(given)).proposal).toMatchObject(wanted);
  });
});

describe('a scikit-learn model', () => {
  it('is refused when it answers a list of maps', async () => {
    const input = value('float_input', ['n', 4]);
    const maps: onnx.IValueInfoProto = { name: 'output_probability', type: {} };
    const graph: onnx.IGraphProto = {
      ...{ input: [input], output: [maps] },
      node: [node('ZipMap', ['float_input'], ['output_probability'], { domain: 'ai.onnx.ml' })],
    };
    const opsetImport = [
      { domain: '', version: 17 },
      { domain: 'ai.onnx.ml', version: 3 },
    ];
    const folder = await modelFolder({ 'model.onnx': model(graph, { opsetImport, producerName: 'skl2onnx' }) });
    remove.push(folder.remove);
    await expect(inspectHere(folder.path('model.onnx'))).rejects.toThrow(
      /"output_probability" is a list of maps .*'zipmap': False/,
    );
  });
});

describe('a second version', () => {
  it('inherits the answers about the first, without questions', async () => {
    const outputs = { output: { dims: [1, 128], rows: [[3, 1, -2]] } };
    const labels = Array.from({ length: 128 }, (_, at) => `kind ${at}`);
    const { proposal } = await inspected({ outputs });
    expect(proposal.family).toBe('embedding');
    // As many labels as outputs mean classes.
    const first = manifestFor({ name: 'kinds', labels, ...PIXELS, decoding: 'sigmoid' }, proposal, null);
    expect(first).toMatchObject({ family: 'classifier', decoding: 'sigmoid' });
    expect(manifestFor({ name: 'kinds', labels, ...PIXELS }, proposal, null).family).toBe('classifier');
    expect(manifestFor({ name: 'kinds' }, proposal, first)).toEqual(first);
    const other = await inspected({ outputs: { output: { dims: [1, 96], rows: [] } } });
    expect(() => manifestFor({ name: 'kinds' }, other.proposal, first)).toThrow(/max-distance/);
  });
});

describe('a decoding that contradicts the outputs', () => {
  const added = async (given: Given, answers: Record<string, string> = {}) => {
    const { proposal, folder } = await inspected(given);
    const { labels = [] } = given;
    await rehearseHere(folder, manifestFor({ name: 'mine', ...PIXELS, labels, ...answers }, proposal, null));
  };
  const boxes = (rows: number[][]): Given => ({
    outputs: { output0: { dims: [1, 300, 6], rows } },
    labels: ['cat', 'dog'],
  });
  const detector = { family: 'detector' };

  it.each<[string, Given, Record<string, string>, string, RegExp]>([
    [
      'of another shape',
      { outputs: { output0: { dims: [1, 7, 525], rows: [] } }, labels: ['a', 'b', 'c'] },
      { decoding: 'boxes' },
      '/decoding',
      /as boxes: .*\[7, 525\]; expected is \[boxes, 6\]/,
    ],
    [
      'of another shape, at a size of its own',
      {
        input: [1, 3, 'h', 'w'],
        outputs: { output0: { dims: [1, 7, 525], rows: [] } },
        labels: ['a', 'b', 'c'],
      },
      { decoding: 'yolox', size: '160x160' },
      '/decoding',
      /as yolox/,
    ],
    [
      'boxes that are parts of the picture',
      boxes([[0.5, 0.5, 0.6, 0.6, 0.9, 1]]),
      { ...detector, decoding: 'boxes' },
      '/decoding',
      /within one pixel.* It can be read as ultralytics-rtdetr/,
    ],
    [
      'boxes in pixels as parts',
      boxes([[20, 30, 80, 90, 0.9, 1]]),
      { ...detector, decoding: 'ultralytics-rtdetr' },
      '/decoding',
      /outside of the picture.* It can be read as boxes/,
    ],
    [
      'scores beyond 1',
      boxes([[20, 30, 80, 90, 37.5, 1]]),
      { ...detector, decoding: 'boxes' },
      '/decoding',
      /scores reach 37\.5/,
    ],
    [
      'classes without a label',
      boxes([[20, 30, 80, 90, 0.9, 6]]),
      { ...detector, decoding: 'boxes' },
      '/labels',
      /answers the class 6, and 2 labels were given/,
    ],
  ])('is refused: %s', async (_, given, answers, pointer, message) => {
    await expect(added(given, answers)).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(message),
      options: { errors: [{ pointer }] },
    });
  });

  it('is no error where a list is padded, or where nothing is found', async () => {
    await added(
      boxes([
        [20, 30, 80, 90, 0.9, 1],
        [0, 0, 0, 0, 0, -1],
      ]),
      { ...detector, decoding: 'boxes' },
    );
    await added(boxes([]), { ...detector, decoding: 'boxes' });
  });
});
