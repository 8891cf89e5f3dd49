import { openAsBlob } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dataset, DatasetClass, DatasetImage, Training } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EngineUnderTest } from './engine-under-test.js';

const photos = sampleMedia().faces as Record<string, string>;
let engine: EngineUnderTest;

beforeAll(async () => {
  engine = await EngineUnderTest.start({ localRoots: [dirname(photos['audrey']!)] });
});
afterAll(async () => engine?.close());

async function taught(datasetId: string, label: string, names: string[]): Promise<{ id: string; images: string[] }> {
  const { id } = await engine.api.call(DatasetClass, 'POST', `/datasets/${datasetId}/classes/`, { label });
  const images: string[] = [];
  for (const name of names) {
    const form = new FormData();
    form.set('file', await openAsBlob(photos[name]!, { type: 'image/jpeg' }), `${name}.jpg`);
    const path = `/datasets/${datasetId}/classes/${id}/images/`;
    images.push((await engine.api.call(DatasetImage, 'POST', path, form)).id);
  }
  return { id, images };
}

async function trained(datasetId: string): Promise<Training> {
  const order = { source_dataset_id: datasetId, output_model_name: 'newsroom', output_model_changelog: 'the first' };
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
    const franck = await taught(id, 'Franck', ['franck_02221', 'franck_02888', 'audrey']);
    await taught(id, 'Nicolas', ['cage']);
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

    const { id: jobId } = await engine.api.mine({
      sources: [photos['franck_04000']!, photos['SeanConnery']!],
      modules: { face_recognition: { model: 'newsroom' } },
    });
    const segments = await engine.api.segments(jobId);
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
