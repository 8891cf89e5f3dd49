/** @needs ffmpeg, weights, build, time */
import { execFile, execFileSync } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Dataset, DatasetClass, DatasetImage, Training, type CustomFields } from '@adit/contracts';
import { photoOf, sampleMedia, transcode, type Place } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandLine, EngineUnderTest } from './engine-under-test.js';

const photos = sampleMedia().faces as Record<string, string>;
let engine: EngineUnderTest;

beforeAll(async () => {
  const places = dirname(await photoOf('sunset'));
  engine = await EngineUnderTest.start({ localRoots: [dirname(photos['audrey']!), places] });
});
afterAll(async () => engine?.close());

async function enrolled(
  datasetId: string,
  label: string,
  files: readonly string[],
  custom_fields: CustomFields = [],
): Promise<{ id: string; images: string[] }> {
  const path = `/datasets/${datasetId}/classes/`;
  const { id } = await engine.api.call(DatasetClass, 'POST', path, { label, custom_fields });
  const images: string[] = [];
  for (const file of files) {
    const form = new FormData();
    form.set('file', await openAsBlob(file, { type: 'image/jpeg' }), basename(file));
    images.push((await engine.api.call(DatasetImage, 'POST', `${path}${id}/images/`, form)).id);
  }
  return { id, images };
}

async function trained(datasetId: string, model = 'studio'): Promise<Training> {
  const order = { source_dataset_id: datasetId, output_model_name: model, output_model_changelog: 'the first' };
  const { id } = await engine.api.call(Training, 'POST', '/trainings/', order);
  for (;;) {
    const training = await engine.api.call(Training, 'GET', `/trainings/${id}/`);
    if (training.state === 'completed' || training.state === 'failed') return training;
    await sleep(200);
  }
}

describe('people enrolled from a few photos', () => {
  it('are named by the next job, with the class they are of; a wrong photo is found and left out', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Studio', type: 'face' });
    const franck = await enrolled(id, 'Franck', [photos['franck_02221']!, photos['franck_02888']!, photos['audrey']!]);
    await enrolled(id, 'Nicolas', [photos['cage']!]);
    const training = await trained(id);
    expect([training.state, training.error]).toEqual(['completed', '']);
    expect(training.report).toMatchObject({
      ...{ number_of_classes: 2, named_wrong: 0 },
      left_out: [{ class_id: franck.id, image_id: franck.images[2], reason: 'outlier' }],
    });
    expect(training.output_model).toMatchObject({ name: 'studio', type: 'face', is_public: false });
    expect(training.output_model?.latest_version.changelog).toContain('the first');
    const { evaluation_state: state, issues } = await engine.api.call(Dataset, 'GET', `/datasets/${id}/`);
    expect([state, issues.has_warning]).toEqual([1, true]);

    expect(training.output_model?.latest_version.source_dataset).toMatchObject({ id, name: 'Studio' });

    const job = await engine.api.mine({
      sources: [photos['franck_04000']!, photos['SeanConnery']!],
      modules: { face_recognition: { model: 'studio' } },
    });
    // The distance that the training found, where the client says none.
    expect(job.modules['face_recognition']).toMatchObject({ max_distance: training.report?.threshold });
    const segments = await engine.api.segments(job.id);
    expect(segments.map(({ meta }) => [meta['person'], meta['class_id']])).toEqual([
      ['Franck', franck.id],
      ['unknown', null],
    ]);

    // The same photos are the same version.
    const again = await trained(id);
    expect(again.output_model?.versions.map(({ version_number: number }) => number)).toEqual([1]);
  });

  it('are not, where no photo can be used: the training says so', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Nobody', type: 'face' });
    const { state, error, output_model: model } = await trained(id);
    expect([state, model]).toEqual(['failed', null]);
    expect(error).toContain('No active image');
  });
});

describe('landmarks enrolled from a few photos', () => {
  it('are named by the next job, with where they are; what was never seen is not', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Town', type: 'landmark' });
    const shown = (place: Place): Promise<string[]> => Promise.all([0, 15, -15].map((yaw) => photoOf(place, { yaw })));
    const palace = await enrolled(id, 'Palace', await shown('sunset'), [
      { type: ['palace'], latitude: 45.4337, longitude: '12.3404', location: 'Venice|Italy', colour: 'white' },
    ]);
    await enrolled(id, 'Square', [...(await shown('city')), (await shown('sunset'))[1]!]);
    const training = await trained(id, 'town');
    expect([training.state, training.error]).toEqual(['completed', '']);
    expect(training.report).toMatchObject({
      ...{ number_of_classes: 2, number_of_images: 6, held_out: 2, named_wrong: 0, unseen: 6, unseen_named: 0 },
      ...{ left_out: [{ reason: 'another_place' }], closest_pairs: [{ class_id: palace.id, confused: 0 }] },
    });
    expect(training.output_model).toMatchObject({ name: 'town', type: 'landmark', is_public: false });
    expect(training.output_model?.latest_version.changelog).toContain('2 landmarks from 6 images, 1 left out');
    const { evaluation_state: state } = await engine.api.call(Dataset, 'GET', `/datasets/${id}/`);
    expect(state).toBe(1);

    const sources = [await photoOf('sunset', { yaw: 8, view: 70 }), await photoOf('forest')];
    const job = await engine.api.mine({ sources, modules: { landmark_recognition: { model: 'town' } } });
    const found = 1 - (training.report?.threshold ?? 0) ** 2 / 4;
    expect(job.modules['landmark_recognition']).toMatchObject({ min_similarity: found });
    expect((await engine.api.segments(job.id)).map(({ meta }) => meta['landmark'])).toEqual([
      {
        ...{ name: 'Palace', class_id: palace.id, type: ['palace'] },
        ...{ latitude: '45.4337', longitude: '12.3404', location: ['Venice', 'Italy'] },
      },
    ]);

    const strict = { model: 'town', min_similarity: 0.999 };
    const asked = await engine.api.mine({ sources, modules: { landmark_recognition: strict } });
    expect([asked.modules['landmark_recognition'], await engine.api.segments(asked.id)]).toMatchObject([strict, []]);

    const again = await trained(id, 'town');
    expect(again.output_model?.versions.map(({ version_number: number }) => number)).toEqual([1]);
  });
});

const page = new URL('../../../docs/guides/training-people.md', import.meta.url);
const missing = ['curl', 'jq', 'zip'].filter((program) => !has(program));

(missing.length === 0 ? describe : describe.skip)(
  `a reader who follows docs/guides/training-people.md${missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`}`,
  () => {
    it('gets from a folder of photos to a name on the timeline, by the command line and by the API', async () => {
      const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
      expect(blocks.length).toBeGreaterThan(3);
      expect(blocks[0]?.trim().split('\n').length).toBeLessThanOrEqual(10);
      const { folder, programs } = await desk();
      const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('')], {
        cwd: folder,
        // Before jest's own patience is over, which would leave it behind.
        timeout: 900_000,
        env: {
          ...process.env,
          // The engine is here, whatever way leads out.
          ...{ NO_PROXY: '*', no_proxy: '*' },
          ...{ PATH: `${programs}:${process.env['PATH']}`, NODE_OPTIONS: '', ADIT_LOG_LEVEL: 'warn' },
          ...{ ADIT_SERVER: engine.api.url, ADIT_API_KEY: engine.key },
          ...{ API: `${engine.api.url}/api/v1`, KEY: engine.key },
        },
      });
      expect(stdout).toContain('4 of 4 images imported, 2 new classes');
      expect(stdout).toContain('4 images of 2 classes are evaluated: see above');
      expect(stderr).toContain('Ada Lovelace: image ');
      expect(stdout).toMatch(/^newsroom version 1: 2 classes from 3 images, 1 left out; /m);
      // The table of the command line, and what the API was asked for.
      expect(stdout).toMatch(/^Ada Lovelace +/m);
      expect(stdout).toMatch(/^00:00:00:00 Ada Lovelace$/m);
      // The image that the job's segment became.
      expect(stdout).toMatch(/"is_auto_generated": ?false/);
    });
  },
);

describe('the command line', () => {
  const adit = (...args: string[]) => engine.cli(...args, '--server', engine.api.url);

  it('takes a dataset out and puts it in again, and says what cannot be taken', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Out and in', type: 'face' });
    await enrolled(id, 'Nicolas', [photos['cage']!]);
    const out = join(engine.folder, 'out.zip');
    expect(await adit('dataset', 'export', 'Out and in', '--out', out)).toBe(`${out}\n`);
    const copy = /^Dataset (\S+)\n$/.exec(await adit('dataset', 'create', 'Copy'))?.[1] ?? '';
    expect(await adit('dataset', 'import', copy, out)).toContain('1 of 1 images imported, 1 new classes');
    const list = join(engine.folder, 'list.csv');
    await writeFile(list, 'file_uri,label\nstorage://aaaaaaaaaaaaaaaaaaaa,Nobody\n');
    const refused = /ended with 1(.|\n)*"file": "line 2"(.|\n)*storage:\/\/aaaaaaaaaaaaaaaaaaaa does not exist/;
    await expect(adit('dataset', 'import', copy, list, '--json')).rejects.toThrow(refused);
    const listed = JSON.parse(await adit('dataset', 'list', '--json')) as Dataset[];
    expect(listed.find((one) => one.id === copy)).toMatchObject({ name: 'Copy', number_of_images: 1 });
  });

  it('ends with 2 for what is not there, with 1 for a training that failed', async () => {
    await expect(adit('dataset', 'evaluate', 'Nobody knows')).rejects.toThrow('ended with 2');
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Empty', type: 'face' });
    await expect(adit('train', id, '--name', 'empty')).rejects.toThrow(/ended with 1(.|\n)*No active image/);
  });
});

/** A folder as the page has it, and one of programs in which `npm run` is the command line under test. */
async function desk(): Promise<{ folder: string; programs: string }> {
  const folder = await mkdtemp(join(engine.folder, 'desk-'));
  const people = {
    'Ada Lovelace': [photos['franck_02221']!, photos['franck_02888']!, photos['audrey']!],
    'Blaise Pascal': [photos['cage']!],
  };
  for (const [name, files] of Object.entries(people)) {
    await mkdir(join(folder, 'people', name), { recursive: true });
    for (const [index, photo] of files.entries()) {
      await copyFile(photo, join(folder, 'people', name, `${index + 1}.jpg`));
    }
  }
  execFileSync('zip', ['-qr', '../people.zip', '.'], { cwd: join(folder, 'people') });
  const film = ['-i', sampleMedia().franck, '-t', '2', '-an', '-c:v', 'copy'];
  await copyFile(await transcode('evening.mp4', film), join(folder, 'evening.mp4'));
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const words = commandLine().map((word) => `'${word}'`);
  // npm run --silent adit -- …
  await writeFile(join(programs, 'npm'), `#!/bin/sh\nshift 4\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  return { folder, programs };
}

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
