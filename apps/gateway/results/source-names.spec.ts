/** @needs weights, build */
import { columns, JobEntity, JobModuleEntity, SegmentEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { multipart } from '../contract/multipart.js';
import { World } from '../contract/world.js';

let world: World;
let uri: string;

beforeAll(async () => {
  world = await World.start();
}, 600_000);
beforeEach(async () => {
  const bytes = Buffer.from('not opened here');
  const { payload, headers } = multipart({
    file: { filename: 'Evening news, 8 pm.mp4', contentType: 'video/mp4', bytes },
  });
  uri = (await world.ask('POST', '/api/v1/storage/?folder=/news&if_exists=replace', payload, headers)).json<{
    url: string;
  }>().url;
});
afterAll(() => world?.close());

/** A job on the upload and a film of this machine; `label` and `meta` are what was found in the upload. */
async function jobWith(found: { moduleId: string; type: string; label: string; meta: Record<string, unknown> }[]) {
  const sources = [uri, ...world.order.sources];
  const job = (await world.ask('POST', '/api/v1/jobs/', { ...world.order, sources })).json<{ id: string }>();
  const { manager } = world.gateway.db;
  const rows = found.map((one, seq) =>
    columns<SegmentEntity>({
      ...one,
      ...{ jobId: job.id, seq, moduleSeq: seq, sourceIndex: 0, frameStart: null, frameEnd: null },
      ...{ timeStart: seq, timeEnd: seq + 1, confidence: 0.9, detections: [], thumbnail: null, keyFrame: null },
      ...{ identityCollection: null, identityNumber: null },
    }),
  );
  await manager.insert(SegmentEntity, rows);
  await manager.update(JobEntity, { id: job.id }, { segmentCount: rows.length });
  await manager.update(JobModuleEntity, { jobId: job.id }, { segmentCount: rows.length });
  return job;
}

describe('a file that was uploaded', () => {
  it('an uploaded file is called by its name wherever its job is shown, also when it is deleted', async () => {
    const names = ['Evening news, 8 pm.mp4', 'sample1.jpg'];
    const made = await jobWith([{ moduleId: 'face_recognition', type: 'face', label: 'Ada', meta: { person: 'Ada' } }]);
    expect(made).toMatchObject({ sources: [uri, ...world.order.sources], source_names: names });
    const { manager } = world.gateway.db;
    await manager.update(
      JobEntity,
      { id: made.id },
      { state: 'completed', summary: [{ source: uri, media_type: 'video', info: {}, items: [] }] },
    );
    const files = (await world.ask('GET', '/api/v1/storage/?folder=/news')).json<{ id: number }[]>();
    expect((await world.ask('DELETE', `/api/v1/storage/${files[0]?.id}/`)).status).toBe(200);
    const one = (await world.ask('GET', `/api/v1/jobs/${made.id}/`)).json();
    expect(one).toMatchObject({ source_names: names, result: { summary: [{ source: uri, source_name: names[0] }] } });
    const [result] = (await world.ask('GET', `/api/v1/jobs/${made.id}/detailed-results/`)).json<{ data: object[] }>()
      .data;
    expect(result).toMatchObject({ source: uri, source_name: names[0] });
    const found = await world.ask('GET', '/api/v1/jobs/?search=evening%20NEWS');
    expect(found.json<{ data: object[] }>().data).toMatchObject([{ id: made.id, source_names: names }]);
    expect((await world.ask('GET', '/api/v1/jobs/?search=morning')).json()['total']).toBe(0);
  });

  it('downloads of a job are named after its file', async () => {
    const { jobId, artifactId } = await world.minedJob();
    const file = await world.ask('GET', `/api/v1/jobs/${jobId}/artifacts/${artifactId}/file/`);
    expect(file.headers['content-disposition']).toContain('filename="sample1-results.json"');
  });
});

describe('the filter by label', () => {
  it('the filter finds spoken and written words', async () => {
    const said = (text: string) => ({
      moduleId: 'speech_recognition',
      type: 'speech',
      label: 'speech',
      meta: { text },
    });
    const caption = { moduleId: 'lower_third_recognition', type: 'lower_third', label: 'Ada Lovelace', meta: {} };
    const { id } = await jobWith([said('Good evening from the Budget debate.'), said('And now the weather.'), caption]);
    const found = async (label: string) =>
      (await world.ask('GET', `/api/v1/jobs/${id}/detailed-results/?label=${label}`))
        .json<{ data: { time_start: number }[] }>()
        .data.map(({ time_start: at }) => at);
    expect(await found('budget')).toEqual([0]);
    expect(await found('lovelace')).toEqual([2]);
    expect(await found('speech')).toEqual([0, 1]);
    expect(await found('100%25')).toEqual([]);
  });
});
