/** @needs weights */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readHints } from './exporter-hints.js';
import { readOutline } from './onnx-outline.js';
import { manifestFor } from './manifest-for.js';
import { propose } from './propose.js';
import { ProtobufFile } from './protobuf-file.js';
import { type Axes, type Export, proposed, flags, ULTRALYTICS } from './testing/proposed.js';

/** Answers to hints that no exporter of these gives; other questions are expected. */
const ANSWERS = { colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };

const ASKED_OF_PIXELS = ['--colour', '--mean and --std', '--resize'];

const coco = Array.from({ length: 80 }, (_, index) => `thing ${index}`).join('\n');

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

  it('that comes with Adit is recognised', async () => {
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
