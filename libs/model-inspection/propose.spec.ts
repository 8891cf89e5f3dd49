/** @needs weights */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readHints } from './exporter-hints.js';
import { readOutline } from './onnx-outline.js';
import { manifestFor } from './manifest-for.js';
import { propose, type Proposal } from './propose.js';
import { ProtobufFile } from './protobuf-file.js';
import { graphOf, INT64, model, reading, value } from './testing/onnx-file.js';
import type { SidecarFiles } from './sidecar-files.js';

type Axes = readonly (number | string)[];
interface Export {
  input?: Axes;
  inputName?: string;
  outputs: Record<string, Axes>;
  metadata?: Record<string, string>;
  files?: SidecarFiles;
  /** Integer inputs beside the picture. */
  others?: Record<string, Axes>;
}

function proposed({
  input = [1, 3, 640, 640],
  inputName,
  outputs,
  metadata = {},
  files = {},
  others = {},
}: Export): Promise<Proposal> {
  const graph = graphOf(input, outputs, inputName);
  graph.input?.push(...Object.entries(others).map(([name, axes]) => value(name, axes, INT64)));
  const metadataProps = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  return reading(model(graph, { metadataProps }), (file) => {
    const outline = readOutline(file);
    return propose(outline, readHints(outline, files));
  });
}

/** Answers to hints that no exporter of these gives; other questions are expected. */
const ANSWERS = { colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };
const flags = ({ questions }: Proposal): string[] => questions.map(({ flag }) => flag);
const ASKED_OF_PIXELS = ['--colour', '--mean and --std', '--resize'];

const ULTRALYTICS = {
  author: 'Ultralytics',
  task: 'detect',
  stride: '32',
  imgsz: '[640, 640]',
  names: `{0: 'person', 1: "driver's cab", 2: 'Stra\\xdfe'}`,
};
const coco = Array.from({ length: 80 }, (_, index) => `thing ${index}`).join('\n');

describe('a graph that takes one picture without a batch', () => {
  const labels = { 'labels.txt': 'a\nb\nc' };

  it('is a detector as torchvision exports it, of any size', async () => {
    const outputs = { boxes: ['n', 4], labels: ['n'], scores: ['n'] };
    const proposal = await proposed({ input: [3, 'height', 'width'], outputs, files: labels });
    expect(proposal).toMatchObject({ family: 'detector', decoding: 'torchvision', maxBatch: 1 });
    expect(proposal.input).toMatchObject({ layout: 'nchw', isBatched: false, width: null, height: null });
  });

  it('is a classifier of three classes, or a detector, by its output without a batch', async () => {
    const classifier = await proposed({ input: [3, 224, 160], outputs: { scores: [3] }, files: labels });
    expect(classifier).toMatchObject({ family: 'classifier', classes: 3, maxBatch: 1 });
    expect(classifier.input).toMatchObject({ layout: 'nchw', isBatched: false, width: 160, height: 224 });
    const detector = await proposed({ input: [640, 640, 3], outputs: { output0: [7, 8400] }, files: labels });
    expect(detector).toMatchObject({ family: 'detector', decoding: 'yolov8', classes: 3 });
    expect(detector.input).toMatchObject({ layout: 'nhwc', isBatched: false });
  });

  it('is not recognised where three axes have another meaning', async () => {
    expect((await proposed({ input: [1, 80, 3000], outputs: { y: [1, 1500, 384] } })).input).toBeNull();
    expect((await proposed({ input: ['N', 'points', 3], outputs: { y: ['N', 3] } })).input).toBeNull();
  });
});

describe("Triton's config.pbtxt", () => {
  const config = `
    max_batch_size: 4
    input { name: "images" dims: [ 3, 224, 160 ] }
    output { name: "scores" dims: [ 3 ] }
    parameters { key: "mean" value: { string_value: "127.5" } }
    parameters { key: "std" value: { string_value: "127.5" } }`;
  const of = (text: string) =>
    proposed({
      ...{ input: ['N', 3, 'h', 'w'], outputs: { scores: ['N', 3] } },
      files: { 'config.pbtxt': text, 'labels.txt': 'a\nb\nc' },
    });

  it('fills open properties of the graph, and leaves missing ones open', async () => {
    const proposal = await of(config);
    expect(proposal.input).toMatchObject({ width: 160, height: 224, mean: [127.5], std: [127.5], colour: null });
    expect(proposal).toMatchObject({ maxBatch: 4, labels: ['a', 'b', 'c'] });
    expect(flags(proposal)).toEqual(['--colour', '--resize']);
    expect(await of(config.replace('max_batch_size: 4', ''))).toMatchObject({
      maxBatch: 1,
    });
  });

  it.each([
    ['another runtime', 'platform: "tensorflow_savedmodel"', /is not ONNX Runtime/],
    [
      'a colour that is none',
      'parameters { key: "colour" value { string_value: "red" } }',
      /none of rgb, bgr and grey/,
    ],
    [
      'a mean that is no number',
      'parameters { key: "mean" value { string_value: "a, 2" } }',
      /neither one number nor three/,
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(of(text)).rejects.toThrow(message);
  });
});

describe('a detector', () => {
  it('of Ultralytics needs no answer', async () => {
    const proposal = await proposed({ outputs: { output0: [1, 7, 8400] }, metadata: ULTRALYTICS });
    expect(proposal).toMatchObject({
      ...{ family: 'detector', decoding: 'yolov8', classes: 3, maxBatch: 1, questions: [] },
      labels: ['person', "driver's cab", 'Straße'],
      input: {
        tensor: 'images',
        layout: 'nchw',
        colour: 'rgb',
        width: 640,
        height: 640,
        resize: 'letterbox',
        filter: 'bilinear',
        pad: { value: 114, at: 'centre' },
        mean: [0, 0, 0],
        std: [255, 255, 255],
      },
    });
  });

  it('of Ultralytics with open axes has the size it was exported for', async () => {
    const proposal = await proposed({
      input: ['batch', 3, 'height', 'width'],
      outputs: { output0: ['batch', 7, 'anchors'] },
      metadata: ULTRALYTICS,
    });
    expect(proposal).toMatchObject({
      decoding: 'yolov8',
      classes: 3,
      maxBatch: null,
      questions: [],
      input: { width: 640, height: 640 },
    });
  });

  it.each<[string, Export, object]>([
    [
      'YOLOv10, with the suppression inside',
      { outputs: { output0: [1, 300, 6] }, metadata: ULTRALYTICS },
      { decoding: 'boxes', classes: 3 },
    ],
    [
      'YOLOv5',
      { outputs: { output: [1, 25200, 85] }, files: { 'labels.txt': coco } },
      { decoding: 'yolov5', classes: 80 },
    ],
    [
      'YOLOv8 without metadata',
      { outputs: { output0: [1, 84, 8400] }, files: { 'labels.txt': coco } },
      { decoding: 'yolov8', classes: 80 },
    ],
    [
      'YOLOX',
      { outputs: { output: [1, 8400, 85] }, files: { 'labels.txt': coco } },
      { decoding: 'yolox', classes: 80 },
    ],
    [
      'NanoDet-Plus',
      { input: [1, 3, 416, 416], outputs: { output: [1, 3598, 112] }, files: { 'labels.txt': coco } },
      { decoding: 'nanodet', classes: 80 },
    ],
    [
      'PicoDet of ten classes',
      {
        input: [1, 3, 800, 608],
        outputs: Object.fromEntries(
          [7600, 1900, 475, 130].flatMap((cells): [string, Axes][] => [
            [`scores_${cells}`, [1, cells, 10]],
            [`distances_${cells}`, [1, cells, 32]],
          ]),
        ),
        files: { 'labels.txt': coco.split('\n').slice(0, 10).join('\n') },
      },
      { decoding: 'nanodet', classes: 10 },
    ],
    [
      'TensorRT-like ends',
      {
        outputs: { num_dets: [1, 1], det_boxes: [1, 100, 4], det_scores: [1, 100], det_classes: [1, 100] },
        files: { 'labels.txt': coco },
      },
      { decoding: 'end2end', classes: 80 },
    ],
    [
      'TensorFlow',
      {
        input: [1, 'height', 'width', 3],
        outputs: {
          detection_boxes: [1, 100, 4],
          detection_classes: [1, 100],
          detection_scores: [1, 100],
          num_detections: [1],
        },
        files: { 'labels.txt': coco },
      },
      { decoding: 'ssd', classes: 80, input: { layout: 'nhwc' } },
    ],
    [
      'torchvision',
      { outputs: { boxes: ['n', 4], labels: ['n'], scores: ['n'] }, files: { 'labels.txt': coco } },
      { decoding: 'torchvision', classes: 80 },
    ],
  ])('is recognised: %s', async (_, file, wanted) => {
    const proposal = await proposed(file);
    expect(proposal).toMatchObject({ family: 'detector', ...wanted });
    expect(proposal.labels).toHaveLength(proposal.classes ?? -1);
    expect(flags(proposal)).not.toContain('--labels');
  });

  it.each<[string, Export, object]>([
    [
      'YOLOv5 with its own metadata, in which nobody is named',
      {
        input: [1, 3, 160, 160],
        outputs: { output0: [1, 1575, 8] },
        metadata: { stride: '32', names: "['person', 'cat', 'dog']" },
      },
      { decoding: 'yolov5', classes: 3, questions: [] },
    ],
    [
      'YOLOv5 of a larger picture, on four grids',
      {
        input: [1, 3, 1280, 1280],
        outputs: { output0: [1, 102_000, 8] },
        metadata: { stride: '64', names: "{0: 'person', 1: 'cat', 2: 'dog'}" },
      },
      { decoding: 'yolov5', classes: 3, questions: [] },
    ],
    [
      'YOLOv5 with masks',
      {
        outputs: { output0: [1, 25200, 40], output1: [1, 32, 160, 160] },
        metadata: { stride: '32', names: "{0: 'person', 1: 'cat', 2: 'dog'}" },
      },
      { decoding: 'yolov5-segment', classes: 3, questions: [], note: expect.stringMatching(/masks are left out/) },
    ],
    [
      'RT-DETR of Ultralytics',
      { outputs: { output0: [1, 300, 6] }, metadata: { ...ULTRALYTICS, head: 'RTDETRDecoder' } },
      { decoding: 'ultralytics-rtdetr', classes: 3, input: { resize: 'stretch', pad: null }, questions: [] },
    ],
    [
      'RT-DETR of Ultralytics before it chose the surest itself',
      {
        outputs: { output0: [1, 300, 7] },
        metadata: { ...ULTRALYTICS, description: 'Ultralytics rtdetr-l model trained on ours.yaml' },
      },
      { decoding: 'ultralytics-rtdetr-scores', classes: 3, input: { resize: 'stretch', pad: null }, questions: [] },
    ],
    [
      'a network of Ultralytics for poses',
      {
        outputs: { output0: [1, 56, 8400] },
        metadata: { ...ULTRALYTICS, task: 'pose', kpt_shape: '[17, 3]', names: "{0: 'person'}" },
      },
      { decoding: 'yolov8-pose', classes: 1, questions: [], note: expect.stringMatching(/points are left out/) },
    ],
    [
      'a network of Ultralytics for poses, with the suppression inside',
      {
        outputs: { output0: [1, 300, 57] },
        metadata: { ...ULTRALYTICS, task: 'pose', kpt_shape: '[17, 3]', names: "{0: 'person'}" },
      },
      { decoding: 'boxes-pose', classes: 1, questions: [] },
    ],
    [
      'a network of Ultralytics for masks',
      {
        outputs: { output0: [1, 39, 8400], output1: [1, 32, 160, 160] },
        metadata: { ...ULTRALYTICS, task: 'segment' },
      },
      { decoding: 'yolov8-segment', classes: 3, questions: [] },
    ],
    [
      'a network of Ultralytics for masks, with the suppression inside',
      {
        outputs: { output0: [1, 300, 38], output1: [1, 32, 160, 160] },
        metadata: { ...ULTRALYTICS, task: 'segment' },
      },
      { decoding: 'boxes-segment', classes: 3, questions: [] },
    ],
    [
      'D-FINE or DEIM, which have a batch and count from 0',
      {
        outputs: { labels: [1, 300], boxes: [1, 300, 4], scores: [1, 300] },
        files: { 'labels.txt': coco },
      },
      { decoding: 'd-fine', classes: 80 },
    ],
    [
      'MMYOLO',
      {
        outputs: { num_dets: [1, 1], boxes: [1, 100, 4], scores: [1, 100], labels: [1, 100] },
        files: { 'labels.txt': coco },
      },
      { decoding: 'end2end', classes: 80 },
    ],
    [
      'MMDetection by MMDeploy',
      { outputs: { dets: [1, 100, 5], labels: [1, 100] }, files: { 'labels.txt': coco } },
      { decoding: 'mmdet', classes: 80 },
    ],
    [
      'RF-DETR with classes of its own and a place for nothing',
      {
        input: [1, 3, 560, 560],
        outputs: { dets: [1, 300, 4], labels: [1, 300, 4] },
        files: { 'labels.txt': 'cat\ndog\nbird' },
      },
      // Four pixels each, without Pillow's averaging, as in its predict() (antialias=False).
      {
        ...{ decoding: 'rf-detr', classes: 3, questions: [] },
        input: { resize: 'stretch', filter: 'bilinear', colour: 'rgb' },
      },
    ],
  ])('of a recent kind is recognised: %s', async (_, file, wanted) => {
    const proposal = await proposed(file);
    expect(proposal).toMatchObject({ family: 'detector', ...wanted });
    expect(proposal.labels).toHaveLength(proposal.classes ?? -1);
    expect(manifestFor({ name: 'mine', ...ANSWERS }, proposal, null)).toMatchObject({ family: 'detector' });
  });

  it.each([
    ['obb', { output0: [1, 8, 8400] }],
    ['semantic', { output0: [1, 3, 640, 640] }],
  ])('of Ultralytics for the task %s is refused by name, whatever the answers', async (task, outputs) => {
    const proposal = await proposed({ outputs, metadata: { ...ULTRALYTICS, task } });
    expect(proposal.because).toContain(`task ${task}`);
    const answers = { name: 'mine', ...ANSWERS, family: 'detector', decoding: 'yolov8', labels: ['a', 'b', 'c', 'd'] };
    for (const said of [answers, { name: 'mine' }]) {
      expect(() => manifestFor(said, proposal, null)).toThrow(new RegExp(`task ${task}.*task detect`));
    }
  });

  it.each([80, 90, 91])('is RF-DETR as published, with %i labels in the order of COCO', async (count) => {
    const outputs = { dets: [1, 300, 4], labels: [1, 300, 91] };
    const proposal = await proposed({ input: [1, 3, 560, 560], outputs });
    expect(proposal).toMatchObject({ decoding: 'rf-detr', classes: 91 });
    const labels = Array.from({ length: count }, (_, index) =>
      count === 91 && index === 0 ? 'N/A' : `thing ${index}`,
    );
    const manifest = manifestFor({ name: 'mine', labels }, proposal, null);
    expect(manifest.labels).toHaveLength(91);
    // There a person is number 1, and a toothbrush 90.
    expect([manifest.labels?.[1], manifest.labels?.[90]]).toEqual([labels[count === 91 ? 1 : 0], labels.at(-1)]);
  });

  it('gets the size that it needs beside the picture, and no unknown input', async () => {
    const outputs = { labels: [1, 300], boxes: [1, 300, 4], scores: [1, 300] };
    const files = { 'labels.txt': coco };
    const sized = await proposed({ outputs, files, others: { orig_target_sizes: ['N', 2] } });
    expect(sized.input?.also).toEqual({ orig_target_sizes: 'size' });
    expect(manifestFor({ name: 'mine', ...ANSWERS }, sized, null).input?.also).toEqual({ orig_target_sizes: 'size' });
    const other = await proposed({ outputs, files, others: { orig_target_sizes: ['N', 2], thresholds: [1, 1] } });
    expect(() => manifestFor({ name: 'mine', ...ANSWERS }, other, null)).toThrow(
      /a second input "thresholds", which jobs have nothing for/,
    );
  });

  it('is recognised when installed', async () => {
    const file = new ProtobufFile(join(import.meta.dirname, '../../models/general-c/1/model.onnx'));
    const outline = readOutline(file);
    file.close();
    expect(propose(outline, readHints(outline, {}))).toMatchObject({
      family: 'detector',
      decoding: 'nanodet',
      classes: 80,
    });
  });

  it.each([
    ['DetrForObjectDetection', 92, 'detr', 91],
    ['RTDetrForObjectDetection', 80, 'rt-detr', 80],
  ])('of Hugging Face is recognised by its architecture: %s', async (architecture, columns, decoding, classes) => {
    const id2label = Object.fromEntries(Array.from({ length: classes }, (_, index) => [index, `thing ${index}`]));
    const proposal = await proposed({
      inputName: 'pixel_values',
      input: ['batch', 3, 'height', 'width'],
      outputs: { logits: ['batch', 100, columns], pred_boxes: ['batch', 100, 4] },
      files: {
        'config.json': JSON.stringify({ architectures: [architecture], id2label }),
        'preprocessor_config.json': JSON.stringify({
          ...{ do_resize: true, size: { height: 640, width: 480 }, do_rescale: true, rescale_factor: 1 / 255 },
          ...{ do_normalize: true, image_mean: [0.485, 0.456, 0.406], image_std: [0.229, 0.224, 0.225] },
        }),
      },
    });
    expect(proposal).toMatchObject({
      family: 'detector',
      decoding,
      classes,
      questions: [],
      input: { width: 480, height: 640, resize: 'stretch' },
    });
    expect(proposal.input?.mean?.map((mean) => Number(mean.toFixed(3)))).toEqual([123.675, 116.28, 103.53]);
  });

  it('leads to a question about labels when there are too few', async () => {
    const proposal = await proposed({ outputs: { output: [1, 25200, 85] }, files: { 'labels.txt': 'one\ntwo' } });
    expect(proposal.labels).toBeNull();
    expect(flags(proposal)).toEqual(['--labels', ...ASKED_OF_PIXELS]);
    expect(proposal.questions[0]?.question).toContain('80 classes called (2 were found)');
  });
});

describe('a face network', () => {
  const strides = [8, 16, 32].map((stride) => 2 * (640 / stride) ** 2);
  const each = (name: string, width: number): [string, Axes][] =>
    strides.map((rows) => [`${name}_${rows}`, [1, rows, width]]);
  it.each<[string, Export, object]>([
    [
      'SCRFD',
      { outputs: Object.fromEntries([...each('score', 1), ...each('bbox', 4), ...each('kps', 10)]) },
      { decoding: 'scrfd' },
    ],
    [
      'RetinaFace',
      { outputs: { loc: [1, 16800, 4], conf: [1, 16800, 2], landms: [1, 16800, 10] } },
      { decoding: 'retinaface' },
    ],
    [
      'YuNet',
      {
        outputs: Object.fromEntries(
          ['cls', 'obj', 'bbox', 'kps'].flatMap((name) => [8, 16, 32].map((s) => [`${name}_${s}`, [1, 6400, 4]])),
        ),
      },
      { decoding: 'yunet' },
    ],
    [
      'MediaPipe',
      { input: [1, 128, 128, 3], outputs: { regressors: [1, 896, 16], classificators: [1, 896, 1] } },
      { decoding: 'blazeface' },
    ],
  ])('is recognised as a detector: %s', async (_, file, wanted) => {
    expect(await proposed(file)).toMatchObject({ family: 'face-detector', ...wanted });
  });

  it('is recognised as an embedding: ArcFace', async () => {
    const proposal = await proposed({ input: ['None', 3, 112, 112], outputs: { '683': ['None', 512] } });
    expect(proposal).toMatchObject({ family: 'face-embedding', decoding: 'arcface', dimensions: 512, maxBatch: null });
    // The face is aligned to the input size; only training tells the distance that separates people.
    expect(flags(proposal)).toEqual(['--max-distance', '--colour', '--mean and --std']);
    const made = (maxDistance?: string) =>
      manifestFor({ name: 'ours', colour: 'rgb', mean: '127.5', std: '127.5', maxDistance }, proposal, null);
    expect(made('1.1')).toMatchObject({ family: 'face-embedding', dimensions: 512, maxDistance: 1.1 });
    expect(made).toThrow(/--max-distance 1\.1 is a cosine of 0\.4/);
    for (const wrong of ['0', '2.1', 'far']) expect(() => made(wrong)).toThrow(/not above 0 and at most 2|no number/);
    expect(made).toThrow(/of one person\?/);
  });

  it('is told from an image embedding, which leads to the same question about places', async () => {
    const proposal = await proposed({ input: ['n', 3, 224, 224], outputs: { embedding: ['n', 768] } });
    expect(proposal.questions[0]).toMatchObject({
      flag: '--max-distance',
      question: expect.stringMatching(/one place\?/),
    });
    const answers = { name: 'ours', colour: 'rgb', mean: '0', std: '255', resize: 'crop', maxDistance: '0.9' };
    expect(manifestFor(answers, proposal, null)).toMatchObject({
      ...{ task: 'image-embedding', family: 'embedding', dimensions: 768, maxDistance: 0.9 },
      modules: ['landmark_recognition'],
    });
  });
});

describe("Hugging Face's pre-processing", () => {
  const input = ['batch', 3, 'height', 'width'];
  const outputs = { logits: ['batch', 2] };
  const config = { architectures: ['ConvNextForImageClassification'], id2label: { 0: 'a', 1: 'b' } };
  const pixels = { do_normalize: true, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5], resample: 3 };
  const of = (preprocessor: object, name = 'preprocessor_config.json', more = {}) =>
    proposed({
      ...{ input, inputName: 'pixel_values', outputs },
      files: { 'config.json': JSON.stringify({ ...config, ...more }), [name]: JSON.stringify(preprocessor) },
    });

  it('stretches a picture to a size with two sides, though DETR and its relatives pad batches', async () => {
    const yolos = { ...pixels, image_processor_type: 'YolosImageProcessor', do_pad: true };
    expect((await of({ ...yolos, size: { height: 128, width: 128 } })).input).toMatchObject({ resize: 'stretch' });
    expect((await of({ ...yolos, size: { shortest_edge: 128 } })).input).toMatchObject({ resize: 'letterbox' });
  });

  it('crops the centre for ConvNeXt below 384 pixels, and stretches from there on', async () => {
    const convnext = (side: number) =>
      of({ ...pixels, image_processor_type: 'ConvNextImageProcessor', crop_pct: 0.875, size: { shortest_edge: side } });
    const small = await convnext(224);
    const cut = { resize: 'crop', shorterSide: 256, width: 224, height: 224, filter: 'bicubic' };
    expect(small).toMatchObject({ questions: [], input: cut });
    const large = await convnext(384);
    expect(large).toMatchObject({ questions: [], input: { resize: 'stretch', shorterSide: null, width: 384 } });
  });

  it.each([
    ['PoolFormer', { crop_pct: 0.9, size: { shortest_edge: 224 } }, 248],
    ['Levit', { size: { shortest_edge: 224 } }, 256],
    ['ViT', { size: { shortest_edge: 256 } }, 256],
  ])('enlarges before cropping, as %s does', async (kind, said, shorterSide) => {
    const image_processor_type = `${kind}ImageProcessor`;
    const cut = { do_center_crop: true, crop_size: { height: 224, width: 224 } };
    const { input: found } = await of({ ...pixels, image_processor_type, ...cut, ...said });
    expect(found).toMatchObject({ resize: 'crop', shorterSide, width: 224 });
  });

  it('is in processor_config.json alone from transformers 5 on, which crops as torchvision does', async () => {
    const image_processor = {
      ...{ ...pixels, image_processor_type: 'CLIPImageProcessor', size: { shortest_edge: 224 } },
      ...{ do_center_crop: true, crop_size: { height: 224, width: 224 } },
    };
    const found = await of({ image_processor, processor_class: 'CLIPProcessor' }, 'processor_config.json');
    const cut = { resize: 'crop', shorterSide: 224, floorCrop: false, colour: 'rgb', mean: [127.5, 127.5, 127.5] };
    expect(found).toMatchObject({ questions: [], input: cut });
    expect((await of(image_processor)).input?.floorCrop).toBe(true);
    const five = { transformers_version: '5.24.0' };
    expect((await of(image_processor, 'preprocessor_config.json', five)).input?.floorCrop).toBe(false);
    const pil = { ...image_processor, image_processor_type: 'CLIPImageProcessorPil' };
    expect((await of(pil, 'preprocessor_config.json', five)).input?.floorCrop).toBe(true);
    // Earlier versions have the file too, without any picture processing.
    expect((await of({ processor_class: 'CLIPProcessor' }, 'processor_config.json')).input?.mean).toBeNull();
  });

  it('has the order of the colours, and the side in the config of the network', async () => {
    const flipped = await of({ ...pixels, do_flip_channel_order: true }, 'preprocessor_config.json', {
      image_size: 256,
    });
    expect(flipped.input).toMatchObject({ colour: 'bgr', width: 256, height: 256 });
  });
});

describe('a network of whole pictures', () => {
  it('ignores text settings in the config of a model without text', async () => {
    const config = { architectures: ['ViTForImageClassification'], id2label: { 0: 'beach', 1: 'sea' } };
    const odd = { eos_token_id: -1, bos_token_id: 'none', max_length: 0, decoder: 'linear' };
    const files = {
      'config.json': JSON.stringify({ ...config, ...odd }),
      'generation_config.json': '{"eos_token_id":[]}',
    };
    const proposal = await proposed({ outputs: { logits: ['n', 2] }, files });
    expect(proposal.labels).toEqual(['beach', 'sea']);
  });

  it('of timm is a classifier without a question', async () => {
    const config = {
      architecture: 'resnet18',
      num_classes: 3,
      label_names: ['cat', 'dog', 'bird'],
      pretrained_cfg: { input_size: [3, 224, 224], mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5], crop_mode: 'center' },
    };
    const proposal = await proposed({
      input: ['batch', 3, 224, 224],
      outputs: { output0: ['batch', 3] },
      files: { 'config.json': JSON.stringify(config) },
    });
    expect(proposal).toMatchObject({
      family: 'classifier',
      classes: 3,
      labels: config.label_names,
      questions: [],
      input: { resize: 'crop', shorterSide: 256, filter: 'antialiased', mean: [127.5, 127.5, 127.5] },
    });
  });

  it.each([
    ['logits', 'sigmoid'],
    ['probabilities', 'scores'],
  ])('with multiple labels and %s is read as %s', async (output, decoding) => {
    const id2label = { 0: 'beach', 1: 'sea', 2: 'sun' };
    const config = {
      architectures: ['ViTForImageClassification'],
      problem_type: 'multi_label_classification',
      id2label,
    };
    const file = { outputs: { [output]: ['n', 3] }, files: { 'config.json': JSON.stringify(config) } };
    expect(await proposed(file)).toMatchObject({ family: 'classifier', decoding });
  });

  it.each<[string, Export, object]>([
    [
      'an embedding',
      { input: ['n', 3, 224, 224], outputs: { embedding: ['n', 768] } },
      { family: 'embedding', dimensions: 768 },
    ],
    [
      "ImageNet's classes",
      { input: ['n', 3, 224, 224], outputs: { y: ['n', 1000] } },
      { family: 'classifier', classes: 1000 },
    ],
    [
      'a classifier by its name',
      { input: ['n', 3, 224, 224], outputs: { logits: ['n', 365] } },
      { family: 'classifier', decoding: 'softmax', classes: 365 },
    ],
    [
      'a finder of text',
      { input: ['n', 3, 'h', 'w'], outputs: { map: ['n', 1, 'h', 'w'] } },
      { family: 'text-detection', decoding: 'db' },
    ],
    [
      'a reader of text with its characters',
      {
        input: ['n', 3, 48, 'w'],
        outputs: { out: ['n', 't', 30] },
        metadata: { character: [...'abcdefghijklmnopqrstuvwxyzäöü'].slice(0, 28).join('\n') },
      },
      { family: 'text-recognition', decoding: 'ctc', classes: 30 },
    ],
    [
      'the half of CLIP that sees',
      { inputName: 'pixel_values', outputs: { image_embeds: ['n', 512] } },
      { family: 'image-text', dimensions: 512 },
    ],
    [
      'an ear',
      { inputName: 'input_features', input: ['n', 80, 3000], outputs: { last_hidden_state: ['n', 1500, 512] } },
      { family: 'speech', decoding: 'whisper' },
    ],
  ])('is recognised: %s', async (_, file, wanted) => {
    expect(await proposed(file)).toMatchObject(wanted);
  });

  it('leads to a question when nothing identifies it', async () => {
    const proposal = await proposed({ outputs: { a: [1, 3, 5, 7, 9] } });
    expect(proposal.family).toBeNull();
    expect(flags(proposal)).toEqual(['--family']);
  });
});

describe('labels', () => {
  it.each([
    ["{0: 'a', 2: 'c'}", /no label for class 1/],
    ["{0: 'a', 1: __import__('os')}", /not written as Python/],
    ['{0: ' + '['.repeat(1000), /deeper than/],
    ["{0: 'a", /text without an end/],
    ["{0: 'a', 1: 'b\\x00', 2: 'c'}", /label for class 1 is .* cannot be stored/],
    ['{}', /names no classes/],
    ["{0: '\\ud83d\\udE00', 1: 'x'} junk", /more behind/],
  ])('that cannot be read are refused: %s', async (names, message) => {
    await expect(proposed({ outputs: { output0: [1, 7, 8400] }, metadata: { ...ULTRALYTICS, names } })).rejects.toThrow(
      message,
    );
  });
});

it('private labels beside a graph are kept', async () => {
  const unknown = await proposed({ outputs: { output: [1, 3, 1, 1] }, files: { 'labels.txt': 'red\ngreen\nblue\n' } });
  expect(unknown).toMatchObject({ family: null, labels: ['red', 'green', 'blue'] });
  expect(flags(unknown)).toEqual(['--family']);
});

it.each<[string, object, object]>([
  ['CLIP', { architectures: ['CLIPTextModelWithProjection'], max_position_embeddings: 77 }, { length: 77, pad: null }],
  ['CLIP without architectures', { model_type: 'clip_text_model', max_position_embeddings: 77 }, { length: 77 }],
  ['SigLIP', { model_type: 'siglip_text_model', max_position_embeddings: 64, pad_token_id: 3 }, { length: 64, pad: 3 }],
])('a text encoder with a separate config is recognised: %s', async (_, config, text) => {
  const graph = graphOf(['batch', 'tokens'], { pooler_output: ['batch', 64] }, 'input_ids');
  graph.input = [value('input_ids', ['batch', 'tokens'], INT64)];
  const proposal = await reading(model(graph), (file) => {
    const outline = readOutline(file);
    return propose(outline, readHints(outline, { 'config.json': JSON.stringify(config) }));
  });
  expect(proposal).toMatchObject({ family: 'text-embedding', dimensions: 64, questions: [], text });
});

describe('an image-text model', () => {
  const config = (architecture: string, text = {}): SidecarFiles => ({
    'config.json': JSON.stringify({ architectures: [architecture], text_config: text }),
    'preprocessor_config.json': JSON.stringify({
      ...{ do_resize: true, size: { height: 224, width: 224 }, resample: 3, do_rescale: true, rescale_factor: 1 / 255 },
      ...{ do_normalize: true, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5] },
    }),
  });

  it('of CLIP or SigLIP is recognised by both of its files, with questions about values missing from graphs', async () => {
    const input = ['batch', 3, 224, 224];
    const clip = await proposed({
      input,
      inputName: 'pixel_values',
      outputs: { image_embeds: ['batch', 512] },
      files: config('CLIPModel'),
    });
    expect(clip).toMatchObject({ family: 'image-text', decoding: 'clip', dimensions: 512, maxBatch: null });
    expect(clip.input).toMatchObject({ width: 224, filter: 'bicubic', resize: 'stretch' });
    expect(flags(clip)).toEqual(['--logit-scale']);
    const outputs = { last_hidden_state: ['batch', 196, 768], pooler_output: ['batch', 768] };
    const siglip = await proposed({ input, inputName: 'pixel_values', outputs, files: config('SiglipModel') });
    expect(siglip).toMatchObject({ family: 'image-text', decoding: 'siglip', dimensions: 768 });
  });
});
