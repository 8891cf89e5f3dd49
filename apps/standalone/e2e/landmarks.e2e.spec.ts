/** @needs ffmpeg, weights, build, time */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelPage, type DetailedResult } from '@adit/contracts';
import { featuresOf } from '@adit/inference/spec-graph';
import { modelsRoot } from '@adit/models';
import { filmOf, photoOf, type Place } from '@adit/testing';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';

const CSV = `name,type,latitude,longitude,location
Palace,palace,45.4337,12.3404,"Venice, Veneto, Italy"
Square,"square, station",52.5096,13.3760,Berlin|Germany
`;
const PALACE = {
  name: 'Palace',
  class_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  type: ['palace'],
  latitude: '45.4337',
  longitude: '12.3404',
  location: ['Venice', 'Veneto', 'Italy'],
};

let engine: EngineUnderTest;
let film: string;
let photo: string;

beforeAll(async () => {
  [film, photo] = await Promise.all([
    filmOf([
      { place: 'sunset', seconds: 6 },
      { place: 'forest', seconds: 6 },
      { place: 'city', seconds: 6 },
    ]),
    photoOf('sunset', { yaw: 8, view: 70, filter: 'eq=brightness=0.08' }),
  ]);
  engine = await EngineUnderTest.start({ localRoots: [dirname(film)] });
});
afterAll(async () => engine?.close());

const post = (args: Record<string, unknown>, source = film) =>
  engine.api.post({ sources: [source], modules: { landmark_recognition: args } });

async function ask(args: Record<string, unknown>, source = film): Promise<DetailedResult[]> {
  const { id } = await engine.api.mine({ sources: [source], modules: { landmark_recognition: args } });
  return engine.api.segments(id);
}

async function refused(args: Record<string, unknown>): Promise<Refused> {
  const answer = await post(args).catch((error: unknown) => error);
  if (answer instanceof Refused) return answer;
  throw new Error('it was accepted');
}

/** Numbers of decoded chunks and of model runs. */
const work = async (): Promise<number[]> => [
  await engine.api.metric('adit_decode_seconds_count'),
  await engine.api.metric('adit_model_run_seconds_count'),
];

describe('without a landmark model', () => {
  it.each([{}, { model: 'general-b' }, { model: 'europe' }])('a job with %j is refused', async (args) => {
    const { status, problem } = await refused(args);
    expect(status).toBe(400);
    expect(problem).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(problem.detail).toContain('Installed landmark models: none.');
  });
});

describe('a landmark model made of photos while the engine runs', () => {
  const folder = () => join(engine.folder, 'places');
  const build = (csv: string) => engine.cli('landmark', 'build', folder(), '--csv', csv, '--name', 'town');

  beforeAll(async () => {
    const places: [string, Place][] = [
      ['Palace', 'sunset'],
      ['Square', 'city'],
    ];
    for (const [name, place] of places) {
      await mkdir(join(folder(), name), { recursive: true });
      for (const [index, yaw] of [0, 15, -15].entries()) {
        await cp(await photoOf(place, { yaw }), join(folder(), name, `${index}.jpg`));
      }
    }
    const csv = join(engine.folder, 'places.csv');
    await writeFile(csv, CSV);
    expect(await build(csv)).toContain('town version 1: 2 landmarks from 6 of 6 photos');
    for (const end = Date.now() + 120_000; ;) {
      const answer = await post({ model: 'town' }, photo).catch((error: unknown) => error);
      if (!(answer instanceof Refused)) break;
      if (Date.now() > end) throw answer;
    }
  });

  it('is not made of a table that is wrong', async () => {
    const csv = join(engine.folder, 'wrong.csv');
    await writeFile(csv, 'name,latitude,longitude\nPalace,95,12\nSquare,52,13\n');
    await expect(build(csv)).rejects.toThrow(/Line 2: latitude "95" is no number of degrees/);
    await writeFile(csv, 'name\nPalace\n');
    await expect(build(csv)).rejects.toThrow(/has no line for Square/);
  });

  it('says of a film what is to be seen and where that is', async () => {
    const segments = await ask({});
    expect(segments.map(({ meta }) => (meta['landmark'] as { name: string }).name)).toEqual(['Palace', 'Square']);
    const [palace, square] = segments as [DetailedResult, DetailedResult];
    expect(palace).toMatchObject({
      module: 'landmark_recognition',
      media_type: 'video',
      frame_start: 0,
      time_start: 0,
    });
    expect(Object.keys(palace.meta).sort()).toEqual(['confidence', 'landmark']);
    expect(palace.meta['landmark']).toEqual(PALACE);
    expect(palace.meta['confidence']).toBeGreaterThan(0.75);
    // Looked at once a second: the last look before the cut at six seconds is at five.
    expect(palace.time_end).toBe(5);
    expect(palace.thumbnail?.image.slice(0, 4)).toBe('/9j/');
    expect(square).toMatchObject({
      time_start: 12,
      meta: { landmark: { type: ['square', 'station'], location: ['Berlin', 'Germany'] } },
    });
  });

  it('decodes and infers nothing for another similarity', async () => {
    const loose = await ask({ min_similarity: 0 });
    const before = await work();
    expect(before.every((count) => count > 0)).toBe(true);
    const strict = await ask({ model: 'town', min_similarity: 0.999 });
    expect(loose.length).toBeGreaterThan(strict.length);
    expect(await work()).toEqual(before);
  });

  it('recognises a photo taken from elsewhere, and the job names the model', async () => {
    const job = await engine.api.mine({ sources: [photo], modules: { landmark_recognition: {} } });
    expect(job.modules['landmark_recognition']).toMatchObject({ model: 'town', min_similarity: 0.75 });
    expect(job.result.summary[0]?.items).toEqual([
      { type: 'landmark', label: 'Palace', module: 'landmark_recognition' },
    ]);
    const segments = await engine.api.segments(job.id);
    expect(segments).toMatchObject([{ media_type: 'image', frame_start: 0, meta: { landmark: PALACE } }]);
  });
});

describe('a landmark model that is made with an embedding of somebody else', () => {
  const csv = () => join(engine.folder, 'places.csv');
  const add = async (version: number, ...options: string[]) => {
    // A network other than the bundled one for landmarks: the backbone of the bundled object detector.
    const detector = await readFile(join(modelsRoot(), 'general-c/1/model.onnx'));
    const graph = join(engine.folder, `features-${version}.onnx`);
    await writeFile(graph, featuresOf(detector, 't166', 512, `version ${version}`));
    return engine.cli('model', 'add', graph, '--name', 'ours', ...options);
  };
  const ANSWERS = ['--colour', 'bgr', '--mean', '103.53,116.28,123.675', '--std', '57.375,57.12,58.395'];
  const SIZE = ['--resize', 'stretch', '--max-distance', '0.36'];
  const build = (...options: string[]) =>
    engine.cli('landmark', 'build', join(engine.folder, 'places'), '--csv', csv(), '--name', 'theirs', ...options);
  /** Mines a job; answers its findings and the networks that it used. */
  const found = async (source = film) => {
    const job = await engine.api.mine({ sources: [source], modules: { landmark_recognition: { model: 'theirs' } } });
    const segments = await engine.api.segments(job.id);
    return {
      places: segments.map(({ meta }) => meta['landmark']),
      minSimilarity: job.modules['landmark_recognition']?.['min_similarity'],
      networks: job
        .provenance!.analyses.flatMap(({ models }) => models)
        .map(({ name, version }) => `${name} ${version}`),
    };
  };
  /** Asks until it is as it should be: the engine notices what changes in its folder by itself. */
  const soon = async <T>(ask: () => Promise<T>, is: (answer: T | Error) => boolean): Promise<T | Error> => {
    for (const end = Date.now() + 120_000; ; await sleep(200)) {
      const answer = await ask().catch((error: Error) => error);
      if (is(answer) || Date.now() > end) return answer;
    }
  };
  const PLACES = [
    expect.objectContaining(PALACE),
    expect.objectContaining({ name: 'Square', type: ['square', 'station'] }),
  ];

  it('names places in jobs, which look with that one alone', async () => {
    await expect(add(1, ...ANSWERS, '--resize', 'stretch')).rejects.toThrow(/of one place\? --max-distance 1\.1/);
    expect(await add(1, ...ANSWERS, ...SIZE)).toContain('ours version 1: of the family embedding');
    await expect(build('--embedding', 'general-c')).rejects.toThrow(/general-c is no model of the family embedding/);
    expect(await build('--embedding', 'ours')).toContain('theirs version 1: 2 landmarks from 6 of 6 photos');
    const seen = await soon(found, (answer) => !(answer instanceof Error));
    // A distance of 0.36 is a cosine of 0.935.
    expect(seen).toEqual({ places: PLACES, minSimilarity: expect.closeTo(0.9676, 4), networks: ['ours 1'] });
    expect((await found(photo)).places).toEqual(PLACES.slice(0, 1));
    await expect(build()).rejects.toThrow(
      /theirs are made with ours: a landmark model of image-embedding needs a name/,
    );
    // The one that comes with Adit looks as ever.
    expect((await ask({ model: 'town' }, photo)).map(({ meta }) => meta['landmark'])).toEqual([PALACE]);
  });

  it('goes on in the version that it was made with, until that is gone and it is built again', async () => {
    expect(await add(2)).toContain('ours version 2');
    await soon(
      () => engine.api.call(ModelPage, 'GET', '/models/?kind=network&limit=100'),
      (page) =>
        !(page instanceof Error) &&
        page.data.some(({ name, latest_version: { version_number: n } }) => name === 'ours' && n === 2),
    );
    expect(await found()).toMatchObject({ places: PLACES, networks: ['ours 1'] });
    await rm(join(engine.dataDir, 'models/ours/1'), { recursive: true });
    const refused = await soon(found, (answer) => answer instanceof Refused);
    expect((refused as Refused).problem.detail).toMatch(
      /theirs was made with another ours .* "adit landmark rebuild theirs"/,
    );
    expect(await engine.cli('landmark', 'rebuild', 'theirs')).toContain(
      'theirs version 2: 2 landmarks from 6 of 6 photos',
    );
    const again = await soon(found, (answer) => !(answer instanceof Error));
    expect(again).toMatchObject({ places: PLACES, networks: ['ours 2'] });
    await mkdir(join(engine.folder, 'more/Elsewhere'), { recursive: true });
    await cp(photo, join(engine.folder, 'more/Elsewhere/1.jpg'));
    await expect(engine.cli('landmark', 'rebuild', 'theirs', join(engine.folder, 'more'))).rejects.toThrow(
      /theirs version 2 does not say what Elsewhere is/,
    );
    await expect(engine.cli('landmark', 'rebuild', 'ours')).rejects.toThrow(/ours is no landmark model/);
  });
});
