/** @needs ffmpeg, weights, build, time */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Model } from '@adit/contracts';
import { readManifest } from '@adit/inference';
import {
  greedyColourGraph,
  meanColourGraph,
  onePictureGraph,
  OUTSIDE_FACTORS,
  outsideColourGraph,
} from '@adit/inference/spec-graph';
import { sampleMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { EngineUnderTest } from './engine-under-test.js';

const { faces } = sampleMedia();
const photo = faces['franck_02888']!;
let engine: EngineUnderTest;
/** A picture with a name on it. */
let caption: string;
/** Pictures of one colour each. */
const plainColours = { white: 'white', blue: '0x0000c0' };
const plain = { white: '', blue: '' };

beforeAll(async () => {
  caption = await transcode('caption-of-a-name.png', [
    ...['-f', 'lavfi', '-i', 'color=c=0x305070:s=1280x720,format=rgb24', '-frames:v', '1'],
    ...['-vf', "drawtext=font='DejaVu Sans':text='Gerda Holm':x=80:y=560:fontsize=56:fontcolor=white"],
  ]);
  for (const colour of ['white', 'blue'] as const) {
    const picture = ['-f', 'lavfi', '-i', `color=c=${plainColours[colour]}:s=320x240,format=rgb24`, '-frames:v', '1'];
    plain[colour] = await transcode(`plain-${colour}.png`, picture);
  }
  engine = await EngineUnderTest.start({
    localRoots: [dirname(photo), dirname(caption)],
    env: { ADIT_WORKSPACE_MODEL_MEMORY_BYTES: String(1024 ** 3) },
  });
});
afterAll(() => engine?.close());

const Evaluated = z.looseObject({
  kind: z.string(),
  versions: z.array(z.looseObject({ version: z.number(), isInUse: z.boolean(), figures: z.looseObject({}) })),
  leftOut: z.looseObject({}),
});
/** Parses the output of `adit model evaluate --json`. */
const evaluationIn = (printed: string) => Evaluated.parse(JSON.parse(printed));

const models = () => engine.api.call(Model.array(), 'GET', '/models/');

/** Waits until the engine has noticed a change of its models. */
async function waitFor(condition: (all: Model[]) => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !condition(await models()) && Date.now() < end;) await sleep(100);
}
const hasModel = (name: string) => waitFor((all) => all.some((model) => model.name === name));

describe('a detector that is added to a running engine', () => {
  const graph = join(import.meta.dirname, '../../../models/general-c/1/model.onnx');
  const add = (...options: string[]) => engine.cli('model', 'add', graph, '--name', 'things', ...options);
  const answers = [
    ...['--colour', 'bgr', '--mean', '103.53,116.28,123.675', '--std', '57.375,57.12,58.395', '--resize', 'letterbox'],
  ];

  it('is refused until the options say what neither the file nor its exporter does', async () => {
    await expect(add()).rejects.toThrow(/What are its classes called\? --labels FILE|--colour rgb/);
    const few = join(engine.folder, 'few.txt');
    await writeFile(few, 'person\nbicycle\n');
    await expect(add('--labels', few, ...answers)).rejects.toThrow(/It has 80 classes, and 2 labels were given/);
    expect((await models()).map(({ name }) => name)).not.toContain('things');
  });

  it('finds things under its own labels in the next job that names it', async () => {
    const labels = join(engine.folder, 'labels.txt');
    await writeFile(labels, ['somebody', ...Array.from({ length: 79 }, (_, index) => `thing ${index + 1}`)].join('\n'));
    const drawn = join(engine.folder, 'tried.jpg');
    const tried = await add('--labels', labels, ...answers, '--try', photo, '--drawn', drawn);
    expect(tried).toMatch(/somebody +0\.\d{3} +\d+, \d+, \d+, \d+\n/);
    expect(await readFile(drawn)).not.toEqual(await readFile(photo));
    expect((await models()).map(({ name }) => name)).not.toContain('things');
    await add('--labels', labels, ...answers, '--description', 'Ours');
    await hasModel('things');
    const things = (await models()).find(({ name }) => name === 'things');
    expect(things).toMatchObject({ type: 'object', description: 'Ours', is_public: false });
    const seen = async (model?: string) => {
      const args = { min_confidence: 50, ...(model === undefined ? {} : { model }) };
      const job = { sources: [photo], modules: { object_scene_recognition: args } };
      const { id } = await engine.api.mine(job);
      return (await engine.api.segments(id)).map(({ meta }) => meta['label']);
    };
    expect(await seen('things')).toContain('somebody');
    expect(await seen()).toContain('person');
  });

  it('takes a next version only with the same input', async () => {
    await expect(add('--colour', 'rgb')).rejects.toThrow(/things is there already with another input/);
    expect(await add()).toContain('things version 2');
  });

  it('is evaluated by a list in COCO’s format, beside the version in use', async () => {
    await waitFor((all) => all.find(({ name }) => name === 'things')?.versions.length === 2);
    const modules = { object_scene_recognition: { model: 'things', min_confidence: 60 } };
    const { id } = await engine.api.mine({ sources: [photo], modules });
    // The labels are what it finds, and one thing that is not there.
    const side = 1000;
    const boxes = (await engine.api.segments(id)).flatMap(({ meta, detections }) =>
      detections.map(({ data: { x = 0, y = 0, w = 0, h = 0 } }) => ({
        label: String(meta['label']),
        bbox: [x, y, w, h].map((share) => share * side),
      })),
    );
    const names = [...new Set([...boxes.map(({ label }) => label), 'thing 7'])];
    const annotations = [...boxes, { label: 'thing 7', bbox: [0, 0, 50, 50] }].map(({ label, bbox }) => ({
      ...{ image_id: 1, category_id: names.indexOf(label), bbox },
    }));
    const folder = join(engine.folder, 'held-out');
    await mkdir(folder);
    await cp(photo, join(folder, 'site.jpg'));
    const list = {
      images: [{ id: 1, file_name: 'site.jpg', width: side, height: side }],
      categories: names.map((name, category) => ({ id: category, name })),
      annotations,
    };
    await writeFile(join(folder, 'annotations.json'), JSON.stringify(list));
    const evaluate = (...options: string[]) =>
      engine.cli('model', 'evaluate', 'things', '--images', folder, '--server', engine.api.url, '--json', ...options);
    const { kind, versions } = evaluationIn(await evaluate('--version', '1', '--min-confidence', '60'));
    expect([kind, versions.map(({ version, isInUse }) => [version, isInUse])]).toEqual([
      'detector',
      [
        [1, false],
        [2, true],
      ],
    ]);
    const share = (names.length - 1) / names.length;
    const right = { map50: expect.closeTo(share, 6), map: expect.closeTo(share, 6), at: { precision: 1 } };
    expect(versions.map(({ figures }) => figures)).toMatchObject([right, right]);
    expect(boxes.length).toBeGreaterThan(0);
    await mkdir(join(folder, 'person'));
    await cp(photo, join(folder, 'person/1.jpg'));
    await rm(join(folder, 'annotations.json'));
    await expect(evaluate()).rejects.toThrow(/things finds boxes, and .* has none: give a folder with a list in COCO/);
  });
});

describe('a classifier that is added to a running engine', () => {
  it('classifies whole pictures in the next job that names it', async () => {
    const graph = join(engine.folder, 'colours.onnx');
    const labels = join(engine.folder, 'colours.txt');
    await writeFile(graph, meanColourGraph(32));
    await writeFile(labels, 'reddish\ngreenish\nbluish\n');
    const add = (...options: string[]) => engine.cli('model', 'add', graph, '--name', 'colours', ...options);
    await expect(add()).rejects.toThrow(/jobs use .*detector \(.*classifier \(.* today.*--family/);
    const pixels = ['--colour', 'rgb', '--mean', '128', '--std', '4', '--resize', 'crop', '--filter', 'antialiased'];
    expect(await add('--family', 'classifier', '--labels', labels, ...pixels)).toContain(
      'of the family classifier (softmax)',
    );
    await hasModel('colours');
    const modules = { object_scene_recognition: { model: 'colours', min_confidence: 30 } };
    const { id } = await engine.api.mine({ sources: [photo], modules });
    const segments = await engine.api.segments(id);
    expect(segments.length).toBeGreaterThan(0);
    for (const { meta, detections } of segments) {
      expect(['reddish', 'greenish', 'bluish']).toContain(meta['label']);
      expect(detections).toEqual([]);
    }
  });

  it('is used in a job when its graph calculates in int8', async () => {
    const golden = join(import.meta.dirname, '../../../libs/inference/families/classifier/golden');
    const stripes = await transcode('lying-stripes.png', [
      ...['-f', 'lavfi', '-i', 'color=black:s=120x100,format=gbrp', '-frames:v', '1'],
      ...[
        '-vf',
        ['r', 'g', 'b']
          .map((c) => `${c}='if(mod(floor(Y/8),2),210,40)'`)
          .join(':')
          .replace(/^/, 'geq='),
      ],
    ]);
    const labels = join(engine.folder, 'patterns.txt');
    await writeFile(labels, 'flat\nlying stripes\nstanding stripes\nchecks\ndots\ngrain\n');
    const pixels = ['--mean', '123.675,116.28,103.53', '--std', '58.395,57.12,57.375', '--colour', 'rgb'];
    for (const form of ['int8-qdq', 'int8-dynamic']) {
      const graph = join(engine.folder, `${form}.onnx`);
      await writeFile(graph, gunzipSync(await readFile(join(golden, `${form}.onnx.gz`))));
      const resize = ['--resize', 'crop', '--shorter-side', '54', '--filter', 'antialiased'];
      await engine.cli('model', 'add', graph, '--name', form, '--labels', labels, ...pixels, ...resize);
      await hasModel(form);
      const modules = { object_scene_recognition: { model: form, min_confidence: 50 } };
      const { id } = await engine.api.mine({ sources: [stripes], modules });
      expect((await engine.api.segments(id)).map(({ meta }) => meta['label'])).toEqual(['lying stripes']);
    }
  });

  it('is uploaded through the API with the files beside its graph', async () => {
    const folder = join(engine.folder, 'tones');
    await mkdir(folder);
    await writeFile(join(folder, 'tones.onnx'), outsideColourGraph(32, 'tones.onnx.data'));
    await writeFile(join(folder, 'tones.onnx.data'), OUTSIDE_FACTORS);
    await writeFile(join(folder, 'tones.pt'), 'not this');
    await writeFile(join(folder, 'labels.txt'), 'red\ngreen\nblue\n');
    const add = (...options: string[]) =>
      engine.cli('model', 'add', join(folder, 'tones.onnx'), '--name', 'tones', '--server', engine.api.url, ...options);
    const classifier = ['--family', 'classifier', '--mean', '128', '--std', '4', '--resize', 'crop'];
    await expect(add(...classifier)).rejects.toThrow(/exporter says:\n +--colour: Are its pictures rgb/);
    const added = await add(...classifier, '--colour', 'rgb', '--changelog', 'the first');
    expect(added).toContain('tones version 1: of the family classifier, for the workspace of the key');
    expect((await models()).find(({ name }) => name === 'tones')).toMatchObject({
      scope: 'workspace',
      labels: ['red', 'green', 'blue'],
      latest_version: { changelog: 'the first' },
    });
  });

  it('is evaluated on a folder for each label, and the report lists what was left out', async () => {
    const photos = join(engine.folder, 'photos');
    for (const label of ['Blue', 'green', 'yellow']) await mkdir(join(photos, label), { recursive: true });
    await cp(plain.blue, join(photos, 'Blue/1.png'));
    await cp(plain.blue, join(photos, 'Blue/2.png'));
    // This picture is labelled wrongly.
    await cp(plain.blue, join(photos, 'green/1.png'));
    await cp(plain.white, join(photos, 'yellow/1.png'));
    await writeFile(join(photos, 'Blue/torn.jpg'), 'no picture');
    const out = join(engine.folder, 'evaluated');
    const evaluate = (...options: string[]) =>
      engine.cli(
        'model',
        'evaluate',
        'tones',
        '--images',
        photos,
        '--server',
        engine.api.url,
        '--out',
        out,
        ...options,
      );
    expect(await evaluate()).toMatch(/Accuracy +66\.7 %\n(.*\n)+.*green was taken for Blue 1 ×/);
    const { versions, leftOut } = evaluationIn(await evaluate('--json'));
    expect(versions).toMatchObject([{ version: 1, isInUse: true, figures: { pictures: 3, accuracy: 2 / 3 } }]);
    expect(leftOut).toMatchObject({
      unknownLabels: [{ label: 'yellow', count: 1 }],
      unreadable: [{ name: 'Blue/torn.jpg', message: expect.stringMatching(/not media/) }],
    });
    expect(await readFile(join(out, 'evaluation.html'), 'utf8')).toContain('<td>green</td><td>Blue</td><td>1</td>');
    expect(JSON.parse(await readFile(join(out, 'evaluation.json'), 'utf8'))).toMatchObject({ model: 'tones' });
    await expect(evaluate('--version', '7')).rejects.toThrow(/tones has no version 7: versions are 1\./);
    await rm(join(photos, 'Blue'), { recursive: true });
    await rm(join(photos, 'green'), { recursive: true });
    await expect(evaluate()).rejects.toThrow(
      /knows none of the labels of .*: yellow \(1\)\. It knows red, green, blue\./,
    );
    await expect(evaluate('--images', 'Nowhere')).rejects.toThrow(/There is no dataset Nowhere/);
  });

  it('is evaluated on the images of a dataset by their classes', async () => {
    const photos = join(engine.folder, 'classes');
    // One of them is labelled wrongly.
    for (const label of ['blue', 'red']) {
      await mkdir(join(photos, label), { recursive: true });
      await cp(plain.blue, join(photos, label, '1.png'));
    }
    const server = ['--server', engine.api.url];
    await engine.cli('dataset', 'create', 'Tones', '--type', 'landmark', ...server);
    await engine.cli('dataset', 'import', 'Tones', photos, ...server);
    const printed = await engine.cli('model', 'evaluate', 'tones', '--images', 'Tones', '--json', ...server);
    expect(evaluationIn(printed)).toMatchObject({
      images: 'the dataset Tones',
      versions: [{ figures: { pictures: 2, accuracy: 0.5, confusions: [{ label: 'red', said: 'blue', count: 1 }] } }],
    });
  });

  it('may take one picture without a batch', async () => {
    const folder = join(engine.folder, 'single');
    await mkdir(folder);
    await writeFile(join(folder, 'single.onnx'), onePictureGraph(32));
    await writeFile(join(folder, 'labels.txt'), 'red\ngreen\nblue\n');
    const pixels = ['--colour', 'rgb', '--mean', '0', '--std', '255', '--resize', 'crop', '--family', 'classifier'];
    const { url } = engine.api;
    await engine.cli('model', 'add', join(folder, 'single.onnx'), '--name', 'single', '--server', url, ...pixels);
    const modules = { object_scene_recognition: { model: 'single', min_confidence: 30 } };
    const { id } = await engine.api.mine({ sources: [plain.blue], modules });
    expect((await engine.api.segments(id)).map(({ meta }) => meta['label'])).toEqual(['blue']);
  });

  /** @hardening overload: The model of a workspace takes any memory */
  it('fails alone when it takes gigabytes for a picture: other jobs and its own other pictures go on', async () => {
    const folder = join(engine.folder, 'greedy');
    await mkdir(folder);
    await writeFile(join(folder, 'greedy.onnx'), greedyColourGraph(32));
    await writeFile(join(folder, 'labels.txt'), 'red\ngreen\nblue\n');
    const pixels = ['--colour', 'rgb', '--mean', '0', '--std', '255', '--resize', 'crop', '--family', 'classifier'];
    const { url } = engine.api;
    await engine.cli('model', 'add', join(folder, 'greedy.onnx'), '--name', 'greedy', '--server', url, ...pixels);
    const jobOf = (source: string, model: string) =>
      engine.api.post({ sources: [source], modules: { object_scene_recognition: { model, min_confidence: 30 } } });
    const posted = [
      await jobOf(plain.white, 'greedy'),
      await jobOf(photo, 'general-c'),
      await jobOf(plain.blue, 'greedy'),
    ];
    const [greedy, neighbour, other] = await Promise.all(posted.map(({ id }) => engine.api.ended(id)));
    expect(greedy).toMatchObject({ state: 'failed' });
    expect(JSON.stringify(greedy)).toContain('more than 1024 MiB of memory (ADIT_WORKSPACE_MODEL_MEMORY_BYTES)');
    expect([neighbour?.state, other?.state]).toEqual(['completed', 'completed']);
    expect((await engine.api.segments(other!.id)).map(({ meta }) => meta['label'])).toEqual(['blue']);
  });
});

describe('a text detector and a text recogniser that are added to a running engine', () => {
  const repository = join(import.meta.dirname, '../../../models');
  const answers = (mean: string, std: string) => ['--colour', 'bgr', '--mean', mean, '--std', std];
  const add = (model: string, name: string, ...options: string[]) =>
    engine.cli('model', 'add', join(repository, model, '1/model.onnx'), '--name', name, ...options);

  it('read captions with their own characters in the job that names them', async () => {
    const { labels } = (await readManifest(repository, 'text-recognition'))!;
    const charset = join(engine.folder, 'charset.txt');
    // They have R and G exchanged.
    const own = labels!.slice(1, -1).map((character) => ({ G: 'R', R: 'G' })[character] ?? character);
    await writeFile(charset, own.join('\n'));
    const drawn = join(engine.folder, 'caption-tried.jpg');
    const reader = ['--labels', charset, ...answers('127.5', '127.5')];
    const tried = await add('text-recognition', 'mine', ...reader, '--try', caption, '--drawn', drawn);
    expect(tried).toMatch(/Rerda Holm +0\.9\d{2} +\d+, \d+, \d+, \d+\n/);
    await add('text-recognition', 'mine', ...reader);
    await add('text-detection', 'mine-finder', ...answers('123.675,116.28,103.53', '58.395,57.12,57.375'));
    const textModels = (all: Model[]) => all.filter(({ type }) => type === 'text').map(({ name }) => name);
    await waitFor((all) => textModels(all).length >= 2);
    expect(textModels(await models())).toEqual(['mine', 'mine-finder']);
    const read = async (model?: string) => {
      const args = { only_faces: false, apply_generic: false, ...(model === undefined ? {} : { model }) };
      const { id } = await engine.api.mine({ sources: [caption], modules: { lower_third_recognition: args } });
      return (await engine.api.segments(id)).map(({ meta }) => meta['label']);
    };
    expect(await read('mine')).toEqual(['Rerda Holm']);
    expect(await read('mine-finder')).toEqual(['Gerda Holm']);
    expect(await read()).toEqual(['Gerda Holm']);
  });
});
