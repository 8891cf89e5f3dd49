/** @needs ffmpeg, weights, build */
import { randomUUID } from 'node:crypto';
import { ArtifactPage, DetailedResultPage, type Job, SummarizedResultPage } from '@adit/contracts';
import {
  ArtifactEntity,
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  SegmentEntity,
  SummaryEntity,
} from '@adit/database';
import { artifactKey, pictureKey } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useJobGateway, film, facts, gateway, post } from './testing/job-gateway.js';

useJobGateway();

describe('detailed results', () => {
  const count = 2_500;
  let job: Job;

  beforeAll(async () => {
    job = await post();
    const picture = { key: pictureKey(job.id, 'face-0'), width: 96, height: 96 };
    await gateway.app.get<ObjectStore>(OBJECT_STORE).put(picture.key, Buffer.from('jpeg'));
    const rows = Array.from({ length: count }, (_, seq) =>
      columns<SegmentEntity>({
        jobId: job.id,
        seq,
        moduleId: 'face_recognition',
        moduleSeq: seq,
        sourceIndex: 0,
        frameStart: seq,
        frameEnd: seq + 25,
        timeStart: seq / 25,
        timeEnd: seq / 25 + 1,
        type: 'face',
        label: seq % 2 ? 'Ada 100%' : 'unknown',
        confidence: seq / count,
        meta: { person: seq % 2 ? 'Ada 100%' : 'unknown', similarity: seq / count },
        detections: [{ frame_index: seq, type: 'face_bbox', data: { x: 0.1, y: 0.1, w: 0.2, h: 0.2 } }],
        thumbnail: seq === 0 ? picture : seq === 1 ? { ...picture, key: pictureKey(job.id, 'gone') } : null,
        keyFrame: null,
        identityCollection: seq % 2 ? null : 'unknowns',
        identityNumber: seq % 2 ? null : 3,
      }),
    );
    for (let at = 0; at < count; at += 500) await gateway.db.manager.insert(SegmentEntity, rows.slice(at, at + 500));
    await gateway.db.manager.update(JobEntity, { id: job.id }, { segmentCount: count });
    await gateway.db.manager.update(JobModuleEntity, { jobId: job.id }, { segmentCount: count });
    await gateway.db.manager.update(JobSourceEntity, { jobId: job.id }, columns<JobSourceEntity>({ facts }));
    await gateway.db.manager.insert(
      SummaryEntity,
      columns<SummaryEntity>({
        jobId: job.id,
        seq: 0,
        id: randomUUID(),
        moduleId: 'face_recognition',
        sourceIndex: 0,
        type: 'person_screen_time',
        meta: { 'Ada 100%': 12.5 },
      }),
    );
  });

  const read = async (query: string) =>
    DetailedResultPage.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/detailed-results/?${query}`)).json());

  it('gives segments as the interface shows them', async () => {
    const page = await read('limit=3');
    expect(page).toMatchObject({ total: count, offset: 0, limit: 3, prev: null });
    expect(page.data[0]).toMatchObject({
      module: 'face_recognition',
      media_type: 'video',
      source: film,
      meta: { person: 'Unknown #3' },
      tc_start: '10:00:00:00',
      tc_end: '10:00:01:00',
      thumbnail: { image: Buffer.from('jpeg').toString('base64'), meta: { width: 96, height: 96 } },
    });
    expect(page.data[1]).toMatchObject({ meta: { person: 'Ada 100%' }, thumbnail: null });
  });

  it('pages through all of them once, in order of emission', async () => {
    let url: string | null = `/api/v1/jobs/${job.id}/detailed-results/?limit=1000`;
    const frames: (number | null)[] = [];
    while (url !== null) {
      const page = DetailedResultPage.parse((await gateway.ask('GET', url)).json());
      frames.push(...page.data.map(({ frame_start }) => frame_start));
      url = page.next === null ? null : page.next.replace(/^http:\/\/[^/]+/, '');
    }
    expect(frames).toEqual(Array.from({ length: count }, (_, seq) => seq));
  });

  it('filters', async () => {
    const rows: [string, number][] = [
      ['module=face_recognition', count],
      ['module=object_recognition', 0],
      ['type=face', count],
      ['type=object', 0],
      ['label=ada', count / 2],
      ['label=%25', count / 2],
      ['label=_', 0],
      ['label=Unknown%20%233', count / 2],
      ['time_start=10&time_end=10', 26],
      ['min_confidence=0.5', count / 2],
      ['label=ada&min_confidence=0.5&module=face_recognition', count / 4],
    ];
    for (const [query, total] of rows) expect([query, (await read(`${query}&limit=1`)).total]).toEqual([query, total]);
  });

  /** @hardening api: A filter on confidence lets results without one through */
  it('results are filtered by the confidence that they show, and left out when they show none', async () => {
    const shown = [{ confidence: 0.9 }, { mean_confidence: 0.9 }, { similarity: 0.9 }, { text: 'a caption' }, {}];
    const { id: jobId } = await post();
    const [like] = await gateway.db.manager.findBy(SegmentEntity, { jobId: job.id, seq: 0 });
    await gateway.db.manager.insert(
      SegmentEntity,
      // They are all as sure, whether they say so or not.
      shown.map((meta, seq) => columns<SegmentEntity>({ ...like!, jobId, seq, moduleSeq: seq, confidence: 0.9, meta })),
    );
    const metas = async (query: string): Promise<unknown[]> => {
      const { data } = (await gateway.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/?${query}`)).json();
      return (data as { meta: unknown }[]).map(({ meta }) => meta);
    };
    expect(await metas('type=face')).toEqual(shown);
    expect(await metas('min_confidence=0.9')).toEqual(shown.slice(0, 3));
    expect(await metas('min_confidence=0')).toEqual(shown.slice(0, 3));
    expect(await metas('min_confidence=0.91')).toEqual([]);
    await gateway.ask('DELETE', `/api/v1/jobs/${jobId}/`);
  });

  it('reads a late page by one index range', async () => {
    const plan = await gateway.db.query(
      `EXPLAIN SELECT * FROM segments WHERE job_id = '${job.id}' AND seq >= 2400 AND seq < 2410 ORDER BY seq`,
    );
    expect(JSON.stringify(plan)).toMatch(/Index Scan/);
    expect((await read('offset=2495&limit=10')).data).toHaveLength(5);
    expect((await read('offset=99999&limit=10')).data).toEqual([]);
  });

  it('gives summaries and artifacts', async () => {
    const summaries = await gateway.ask('GET', `/api/v1/jobs/${job.id}/summarized-results/`);
    expect(SummarizedResultPage.parse(summaries.json()).data).toMatchObject([
      { module: 'face_recognition', source: film, type: 'person_screen_time', meta: { 'Ada 100%': 12.5 } },
    ]);
    const id = randomUUID();
    const objectKey = artifactKey(job.id, id);
    await gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, Buffer.from('a,b\n'));
    const artifact = { id, jobId: job.id, filename: 'résumé "1".csv', mimeType: 'text/csv', objectKey, size: '4' };
    await gateway.db.manager.insert(ArtifactEntity, { ...artifact, timeExpiration: new Date(Date.now() + 60_000) });
    const listed = ArtifactPage.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/`)).json());
    expect(listed.data).toMatchObject([{ id, filename: 'résumé "1".csv', job_id: job.id }]);
    const file = await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/${id}/file/`);
    expect(file.text).toBe('a,b\n');
    expect(file.headers['content-disposition']).toBe(
      `attachment; filename="r_sum_ _1_.csv"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%221%22.csv`,
    );
    await gateway.db.manager.update(ArtifactEntity, { id }, { timeExpiration: new Date(0) });
    expect((await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/${id}/file/`)).status).toBe(404);
  });
});
