/** @needs ffmpeg, weights, build */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Model, ModelPage } from '@adit/contracts';
import { readManifest } from '@adit/inference';
import {
  greedyColourGraph,
  meanColourGraph,
  onePictureGraph,
  OUTSIDE_FACTORS,
  outsideColourGraph,
} from '@adit/inference/spec-graph';
import { MOBILE_FACE_ANSWERS, mobileFace } from '@adit/models/testing/mobile-face';
import { sampleMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';

const { faces } = sampleMedia();
const photo = faces['franck_02888']!;
let engine: EngineUnderTest;
/** A picture with a name on it. */
let caption: string;
/** Of one colour each. */
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
/** What `adit model evaluate --json` printed. */
const evaluationIn = (printed: string) => Evaluated.parse(JSON.parse(printed));

const models = () => engine.api.call(Model.array(), 'GET', '/models/');
const team = async () => (await models()).find(({ name }) => name === 'team');
const people = async (args: Record<string, unknown>) => {
  const { id, modules } = await engine.api.mine({ sources: [photo], modules: { face_recognition: args } });
  const named = (await engine.api.segments(id)).map(({ meta }) => meta['person']);
  return { named, model: modules['face_recognition']?.['model'] };
};

/** A gallery of one person, of one photo, as a data scientist makes it while the engine runs. */
async function build(person: string, of: string): Promise<void> {
  const folder = join(engine.folder, person);
  await mkdir(folder, { recursive: true });
  await cp(faces[of]!, join(folder, `${person}.jpg`));
  await engine.cli('gallery', 'build', folder, '--name', 'team', '--description', 'The team');
}

/** The engine notices by itself; seconds may pass. */
async function until(condition: (model: Model | undefined) => boolean): Promise<Model | undefined> {
  for (const end = Date.now() + 120_000; ; await sleep(100)) {
    const model = await team();
    if (condition(model)) return model;
    if (Date.now() > end) throw new Error('It never came to that.');
  }
}

describe('a gallery that is put into the repository of a running engine', () => {
  let id: string;

  beforeAll(async () => {
    expect(await team()).toBeUndefined();
    await build('Franck', 'franck_02221');
    id = (await until((model) => model !== undefined))!.id;
  });

  it('is a model beside those that come with Adit', async () => {
    const page = await engine.api.call(ModelPage, 'GET', '/models/?limit=1');
    expect(page).toMatchObject({ total: 2, data: [{ name: 'general-c', is_public: true, type: 'object' }] });
    expect(await engine.api.call(Model, 'GET', `/models/${id}/`)).toMatchObject({
      name: 'team',
      description: 'The team',
      type: 'face',
      is_public: false,
      latest_version: { version_number: 1 },
    });
  });

  it('recognises when a job names its id', async () => {
    expect(await people({ model: id })).toEqual({ named: ['Franck'], model: 'team' });
  });

  it('goes to those modules of the command line that take it, or to none with a reason', async () => {
    const out = join(engine.folder, 'out');
    const mine = (...modules: string[]) =>
      engine.cli('mine', photo, '--server', engine.api.url, '--out', out, '--model', id, '-m', modules.join(','));
    expect(await mine('face_recognition', 'object_recognition')).toContain('Franck');
    await expect(mine('object_recognition', 'lower_third_recognition')).rejects.toThrow(
      /The model team is for advanced_diversity_analysis and face_recognition, and you ask object_recognition/,
    );
  });

  it('is described, keeps that through a restart, and is still the same model', async () => {
    const fields = { description: 'Our newsroom', custom_fields: [{ owner: 'archive' }] };
    const changed = await engine.api.call(Model, 'PUT', `/models/${id}/`, fields);
    expect(changed).toMatchObject(fields);
    await engine.kill();
    await engine.boot();
    expect(await engine.api.call(Model, 'GET', `/models/${id}/`)).toEqual(changed);
  });

  it('is gone when it was deleted, until there is a new version of it', async () => {
    await engine.api.call(z.strictObject({ message: z.string() }), 'DELETE', `/models/${id}/`);
    expect((await models()).map(({ name }) => name)).toEqual(['general-c']);
    for (const model of [id, 'team']) {
      const refused: unknown = await engine.api
        .post({ sources: [photo], modules: { face_recognition: { model } } })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect((refused as Refused).status).toBe(400);
      expect((refused as Refused).problem.detail).toMatch(/not installed\. Installed face galleries: none\.$/);
    }
    expect(await people({})).toEqual({ named: ['unknown'], model: undefined });

    await build('Monsieur', 'franck_04000');
    const back = await until((model) => model !== undefined);
    expect(back).toMatchObject({
      id,
      description: 'The team',
      custom_fields: [],
      latest_version: { version_number: 2 },
    });
    expect(await people({ model: id })).toEqual({ named: ['Monsieur'], model: 'team' });
  });
});

describe('a detector that is added to a running engine', () => {
  const graph = join(import.meta.dirname, '../../../models/general-c/1/model.onnx');
  const add = (...options: string[]) => engine.cli('model', 'add', graph, '--name', 'things', ...options);
  const answers = [
    ...['--colour', 'bgr', '--mean', '103.53,116.28,123.675', '--std', '57.375,57.12,58.395', '--resize', 'letterbox'],
  ];

  it('is asked about until everything is known that neither the file nor its exporter says', async () => {
    await expect(add()).rejects.toThrow(/What are its classes called\? --labels FILE|--colour rgb/);
    const few = join(engine.folder, 'few.txt');
    await writeFile(few, 'person\nbicycle\n');
    await expect(add('--labels', few, ...answers)).rejects.toThrow(/It has 80 classes, and 2 labels were given/);
    expect((await models()).map(({ name }) => name)).not.toContain('things');
  });

  it('is what the next job names, with its own labels', async () => {
    const labels = join(engine.folder, 'labels.txt');
    await writeFile(labels, ['somebody', ...Array.from({ length: 79 }, (_, index) => `thing ${index + 1}`)].join('\n'));
    const drawn = join(engine.folder, 'tried.jpg');
    const tried = await add('--labels', labels, ...answers, '--try', photo, '--drawn', drawn);
    expect(tried).toMatch(/somebody +0\.\d{3} +\d+, \d+, \d+, \d+\n/);
    expect(await readFile(drawn)).not.toEqual(await readFile(photo));
    expect((await models()).map(({ name }) => name)).not.toContain('things');
    await add('--labels', labels, ...answers, '--description', 'Ours');
    const find = async () => (await models()).find(({ name }) => name === 'things');
    for (const end = Date.now() + 120_000; (await find()) === undefined && Date.now() < end;) await sleep(100);
    expect(await find()).toMatchObject({ type: 'object', description: 'Ours', is_public: false });
    const seen = async (model?: string) => {
      const args = { min_confidence: 50, ...(model === undefined ? {} : { model }) };
      const job = { sources: [photo], modules: { object_scene_recognition: args } };
      const { id } = await engine.api.mine(job);
      return (await engine.api.segments(id)).map(({ meta }) => meta['label']);
    };
    expect(await seen('things')).toContain('somebody');
    expect(await seen()).toContain('person');
  });

  it('is the same model in a next version only if it looks at pictures alike', async () => {
    await expect(add('--colour', 'rgb')).rejects.toThrow(/things is there already with another input/);
    expect(await add()).toContain('things version 2');
  });

  it('is evaluated by a list in COCO’s format, beside the version in use', async () => {
    const find = async () => (await models()).find(({ name }) => name === 'things');
    for (const end = Date.now() + 120_000; (await find())?.versions.length !== 2 && Date.now() < end;) await sleep(100);
    const modules = { object_scene_recognition: { model: 'things', min_confidence: 60 } };
    const { id } = await engine.api.mine({ sources: [photo], modules });
    // What it finds is what was labelled; and a car that nobody sees.
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
  it('is what the next job names, and says what pictures show as a whole', async () => {
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
    const find = async () => (await models()).find(({ name }) => name === 'colours');
    for (const end = Date.now() + 120_000; (await find()) === undefined && Date.now() < end;) await sleep(100);
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
      const find = async () => (await models()).find(({ name }) => name === form);
      for (const end = Date.now() + 120_000; (await find()) === undefined && Date.now() < end;) await sleep(100);
      const modules = { object_scene_recognition: { model: form, min_confidence: 50 } };
      const { id } = await engine.api.mine({ sources: [stripes], modules });
      expect((await engine.api.segments(id)).map(({ meta }) => meta['label'])).toEqual(['lying stripes']);
    }
  });

  it('comes through the API to an engine that runs elsewhere, with what lies beside its graph', async () => {
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

  it('is evaluated on a folder for each label, and says what it could not judge', async () => {
    const photos = join(engine.folder, 'photos');
    for (const label of ['Blue', 'green', 'yellow']) await mkdir(join(photos, label), { recursive: true });
    await cp(plain.blue, join(photos, 'Blue/1.png'));
    await cp(plain.blue, join(photos, 'Blue/2.png'));
    // It is labelled wrongly.
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
  it('and takes gigabytes for a picture fails of that alone: other jobs and its own other pictures go on', async () => {
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

describe('a finder and a reader of text that are added to a running engine', () => {
  const repository = join(import.meta.dirname, '../../../models');
  const answers = (mean: string, std: string) => ['--colour', 'bgr', '--mean', mean, '--std', std];
  const add = (model: string, name: string, ...options: string[]) =>
    engine.cli('model', 'add', join(repository, model, '1/model.onnx'), '--name', name, ...options);

  it('read the captions of the job that names them, with characters of their own', async () => {
    const { labels } = (await readManifest(repository, 'text-recognition'))!;
    const charset = join(engine.folder, 'charset.txt');
    // What they call R is what others call G.
    const own = labels!.slice(1, -1).map((character) => ({ G: 'R', R: 'G' })[character] ?? character);
    await writeFile(charset, own.join('\n'));
    const drawn = join(engine.folder, 'caption-tried.jpg');
    const reader = ['--labels', charset, ...answers('127.5', '127.5')];
    const tried = await add('text-recognition', 'mine', ...reader, '--try', caption, '--drawn', drawn);
    expect(tried).toMatch(/Rerda Holm +0\.9\d{2} +\d+, \d+, \d+, \d+\n/);
    await add('text-recognition', 'mine', ...reader);
    await add('text-detection', 'mine-finder', ...answers('123.675,116.28,103.53', '58.395,57.12,57.375'));
    const there = async () => (await models()).filter(({ type }) => type === 'text').map(({ name }) => name);
    for (const end = Date.now() + 120_000; (await there()).length < 2 && Date.now() < end;) await sleep(100);
    expect(await there()).toEqual(['mine', 'mine-finder']);
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

describe('a face embedding that is added to a running engine', () => {
  const add = async (version: number, ...options: string[]) => {
    const graph = join(engine.folder, `mobile-face-${version}.onnx`);
    await writeFile(graph, await mobileFace(`mobile-face-${version}`));
    return engine.cli('model', 'add', graph, '--name', 'ours', ...options);
  };
  /** Who is on a photo, by the gallery; and the versions that the job looked with. */
  const known = async () => {
    const modules = { face_recognition: { model: 'known' } };
    const job = await engine.api.mine({ sources: [photo], modules });
    const [segment] = await engine.api.segments(job.id);
    const networks = job.provenance!.analyses.flatMap((analysis) => analysis.models);
    return {
      ...{ person: segment!.meta['person'], distance: Number(segment!.meta['distance']) },
      maxDistance: job.modules['face_recognition']?.['max_distance'],
      networks: networks
        .filter(({ name }) => /ours|face-embedding/.test(name))
        .map(({ name, version }) => [name, version]),
    };
  };
  /** Asks until it is as it should be: the engine notices what changes in its folder by itself. */
  const soon = async <T>(ask: () => Promise<T>, is: (answer: T | Error) => boolean): Promise<T | Error> => {
    for (const end = Date.now() + 120_000; ; await sleep(200)) {
      const answer = await ask().catch((error: Error) => error);
      if (is(answer) || Date.now() > end) return answer;
    }
  };

  it('says who people are in jobs whose gallery was built with it', async () => {
    await expect(add(1)).rejects.toThrow(/--colour rgb/);
    await expect(add(1, ...MOBILE_FACE_ANSWERS.slice(0, -2))).rejects.toThrow(/of one person\? --max-distance 1\.1/);
    expect(await add(1, ...MOBILE_FACE_ANSWERS)).toContain('ours version 1: of the family face-embedding (arcface)');
    const folder = join(engine.folder, 'known-people');
    await mkdir(folder);
    for (const [person, of] of [
      ['Franck', 'franck_02221'],
      ['Audrey', 'audrey'],
    ] as const) {
      await cp(faces[of]!, join(folder, `${person}.jpg`));
    }
    const build = (...options: string[]) => engine.cli('gallery', 'build', folder, '--name', 'known', ...options);
    await expect(build('--embedding', 'general-c')).rejects.toThrow(
      /general-c is no model of the family face-embedding/,
    );
    expect(await build('--embedding', 'ours')).toContain('known version 1: 2 people from 2 of 2 photos');
    const seen = await soon(known, (answer) => !(answer instanceof Error));
    // They are 0.46 apart by the network that comes with Adit, which follows faces as ever.
    expect(seen).toEqual({
      ...{ person: 'Franck', distance: expect.closeTo(0.64, 1), maxDistance: 1.1 },
      networks: expect.arrayContaining([
        ['face-embedding', 1],
        ['ours', 1],
      ]),
    });
    await expect(build()).rejects.toThrow(/known are made with ours: a face gallery of face-embedding needs a name/);
  });

  it('goes on in the version that made the gallery, until that is gone and the gallery is built again', async () => {
    expect(await add(2)).toContain('ours version 2');
    await soon(
      () => engine.api.call(ModelPage, 'GET', '/models/?kind=network&limit=100'),
      (page) =>
        !(page instanceof Error) &&
        page.data.some(({ name, latest_version: { version_number: n } }) => name === 'ours' && n === 2),
    );
    expect(await known()).toMatchObject({ person: 'Franck', networks: expect.arrayContaining([['ours', 1]]) });
    await rm(join(engine.dataDir, 'models/ours/1'), { recursive: true });
    const refused = await soon(known, (answer) => answer instanceof Refused);
    expect((refused as Refused).problem.detail).toMatch(
      /known was made with another ours .* "adit gallery rebuild known"/,
    );
    expect(await engine.cli('gallery', 'rebuild', 'known')).toContain('known version 2: 2 people from 2 of 2 photos');
    const again = await soon(known, (answer) => !(answer instanceof Error));
    expect(again).toMatchObject({ person: 'Franck', networks: expect.arrayContaining([['ours', 2]]) });
  });
});
