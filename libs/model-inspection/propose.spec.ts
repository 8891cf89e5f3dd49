import { describe, expect, it } from '@jest/globals';
import { readHints } from './exporter-hints.js';
import { readOutline } from './onnx-outline.js';
import { manifestFor } from './manifest-for.js';
import { propose } from './propose.js';
import { graphOf, INT64, model, reading, value } from './testing/onnx-file.js';
import type { SidecarFiles } from './sidecar-files.js';
import { type Axes, type Export, proposed, flags, ULTRALYTICS } from './testing/proposed.js';

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
