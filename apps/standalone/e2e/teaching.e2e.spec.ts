import { openAsBlob } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dataset, DatasetClass, DatasetImage, Training, type CustomFields } from '@adit/contracts';
import { photoOf, sampleMedia, type Place } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EngineUnderTest } from './engine-under-test.js';

const photos = sampleMedia().faces as Record<string, string>;
let engine: EngineUnderTest;

beforeAll(async () => {
  const places = dirname(await photoOf('sunset'));
  engine = await EngineUnderTest.start({ localRoots: [dirname(photos['audrey']!), places] });
});
afterAll(async () => engine?.close());

async function taught(
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

async function trained(datasetId: string, model = 'newsroom'): Promise<Training> {
  const order = { source_dataset_id: datasetId, output_model_name: model, output_model_changelog: 'the first' };
  const { id } = await engine.api.call(Training, 'POST', '/trainings/', order);
  for (;;) {
    const training = await engine.api.call(Training, 'GET', `/trainings/${id}/`);
    if (training.state === 'completed' || training.state === 'failed') return training;
    await sleep(200);
  }
}

describe('people taught from a few photos', () => {
  it('are named by the next job, with the class they are of; a wrong photo is found and left out', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Newsroom', type: 'face' });
    const franck = await taught(id, 'Franck', [photos['franck_02221']!, photos['franck_02888']!, photos['audrey']!]);
    await taught(id, 'Nicolas', [photos['cage']!]);
    const training = await trained(id);
    expect([training.state, training.error]).toEqual(['completed', '']);
    expect(training.report).toMatchObject({
      ...{ number_of_classes: 2, named_wrong: 0 },
      left_out: [{ class_id: franck.id, image_id: franck.images[2], reason: 'outlier' }],
    });
    expect(training.output_model).toMatchObject({ name: 'newsroom', type: 'face', is_public: false });
    expect(training.output_model?.latest_version.changelog).toContain('the first');
    const { evaluation_state: state, issues } = await engine.api.call(Dataset, 'GET', `/datasets/${id}/`);
    expect([state, issues.has_warning]).toEqual([1, true]);

    expect(training.output_model?.latest_version.source_dataset).toMatchObject({ id, name: 'Newsroom' });

    const job = await engine.api.mine({
      sources: [photos['franck_04000']!, photos['SeanConnery']!],
      modules: { face_recognition: { model: 'newsroom' } },
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

describe('landmarks taught from a few photos', () => {
  it('are named by the next job, with where they are; what was never seen is not', async () => {
    const { id } = await engine.api.call(Dataset, 'POST', '/datasets/', { name: 'Town', type: 'landmark' });
    const shown = (place: Place): Promise<string[]> => Promise.all([0, 15, -15].map((yaw) => photoOf(place, { yaw })));
    const palace = await taught(id, 'Palace', await shown('sunset'), [
      { type: ['palace'], latitude: 45.4337, longitude: '12.3404', location: 'Venice|Italy', colour: 'white' },
    ]);
    await taught(id, 'Square', [...(await shown('city')), (await shown('sunset'))[1]!]);
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
