import { SegmentEntity } from '@adit/database';
import { erasePerson, IndexCollections, IndexedIdentities, nameSegments } from '@adit/indexes';
import { StandardArguments, type Json } from '@adit/contracts';
import { defineModule, type ModuleDefinition } from '@adit/module-kit';
import { configureLogging } from '@adit/runtime';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FoldingJobs } from '../testing/folding-jobs.js';

const PORTRAIT = 'a portrait';

/** Module that finds a face of four dimensions in each unit, as its observations say. */
function faces(collection: string): ModuleDefinition {
  return defineModule({
    id: 'faces',
    version: 1,
    args: StandardArguments,
    media: ['image', 'video'],
    needs: () => [{ analysis: 'faces', args: {} }],
    open: () =>
      Promise.resolve({
        start: (): Json => 0,
        fold: (state: Json, { unit: { sourceIndex }, observations }) => {
          const { faces: embedding } = observations as { faces: number[] };
          const at = Number(state);
          const place = { sourceIndex, frameStart: at, frameEnd: at, timeStart: at, timeEnd: at };
          const claim = { collection, embedding, maxDistance: 1, network: 'face-embedding' };
          return {
            state: at + 1,
            segments: [
              {
                ...place,
                ...{ type: 'face', label: 'unknown', confidence: 0, detections: [], keyFrame: null, claim },
                meta: { person: 'unknown', closest_person: 'Ann', indexed_identity: null },
                thumbnail: { key: 'portrait', width: 8, height: 9 },
              },
            ],
          };
        },
        close: () => ({ segments: [], summaries: [] }),
      }),
  });
}

/** Module that finds an unknown face of one embedding for each unit, in the frames that its observations say. */
const CLUSTERED = defineModule({
  id: 'clustered',
  version: 1,
  args: StandardArguments,
  media: ['video'],
  needs: () => [{ analysis: 'faces', args: {} }],
  open: () =>
    Promise.resolve({
      start: (): Json => 0,
      fold: (state: Json, { unit: { sourceIndex }, observations }) => {
        const [frameStart, frameEnd] = observations['faces'] as [number, number];
        const claim = { collection: 'unknowns', embedding: [1, 0, 0, 0], maxDistance: 1 };
        const place = { sourceIndex, frameStart, frameEnd, timeStart: frameStart, timeEnd: frameEnd };
        const said = { type: 'face', label: 'unknown', confidence: 0, meta: {}, detections: [] };
        return { state, segments: [{ ...place, ...said, thumbnail: null, keyFrame: null, claim }] };
      },
      close: () => ({ segments: [], summaries: [] }),
    }),
});

describe('unknown faces of a film', () => {
  it('are two people when they are shown in one frame, however alike, and one when they are not', async () => {
    const jobs = await FoldingJobs.start([CLUSTERED]);
    try {
      const jobId = await jobs.submit(['storage://film']);
      const frames = [
        [0, 10],
        [10, 20],
        [11, 12],
        [21, 30],
      ];
      await jobs.plan(jobId, { chunks: frames.length });
      const ids = await jobs.chunkIds(jobId);
      for (const [at, shown] of frames.entries()) {
        await jobs.analysed(jobId, ids[at]!, shown);
        await jobs.advance(jobId);
      }
      const rows = await jobs.db.manager.find(SegmentEntity, { where: { jobId }, order: { seq: 'ASC' } });
      expect(rows.map(({ identityNumber }) => identityNumber)).toEqual([1, 2, 1, 1]);
    } finally {
      await jobs.close();
    }
  });
});

describe('unknown faces of jobs', () => {
  let jobs: FoldingJobs;
  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  const [ANN, BOB] = [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
  ];

  async function planned(chunks: number): Promise<{ jobId: string; ids: string[] }> {
    const jobId = await jobs.submit(['storage://film']);
    await jobs.db.query(`UPDATE job_analyses SET models = $2 WHERE job_id = $1`, [
      jobId,
      JSON.stringify([{ name: 'face-embedding', version: 1, digest: 'e'.repeat(64) }]),
    ]);
    await jobs.plan(jobId, { chunks });
    return { jobId, ids: await jobs.chunkIds(jobId) };
  }

  async function shown(jobId: string): Promise<SegmentEntity[]> {
    const rows = await jobs.db.manager.find(SegmentEntity, { where: { jobId }, order: { seq: 'ASC' } });
    await nameSegments(jobs.db.manager, jobs.workspaceId, rows);
    return rows;
  }

  it('are one identity in two jobs that find them at the same time, and are shown by the name they are given', async () => {
    jobs = await FoldingJobs.start([faces('default_index')]);
    await jobs.objects.put('portrait', Buffer.from(PORTRAIT));
    const both = [await planned(2), await planned(2)];
    for (const { jobId, ids } of both) {
      await jobs.analysed(jobId, ids[0]!, ANN);
      await jobs.analysed(jobId, ids[1]!, BOB);
    }
    await Promise.all(both.flatMap(({ jobId }) => [jobs.advance(jobId), jobs.advance(jobId)]));
    const found = await Promise.all(both.map(({ jobId }) => shown(jobId)));
    const ids = found.map((rows) => rows.map(({ indexId }) => indexId));
    expect(ids[0]).toEqual([expect.stringMatching(/^\d{10}$/), expect.stringMatching(/^\d{10}$/)]);
    expect(ids[1]).toEqual(ids[0]);
    expect(new Set(ids.flat()).size).toBe(2);
    expect(found[0]?.[0]?.meta).toMatchObject({
      person: 'unknown',
      closest_person: 'Ann',
      indexed_identity: {
        index_id: ids[0]?.[0],
        label: '',
        collection_name: 'default_index',
        thumbnail: { image: Buffer.from(PORTRAIT).toString('base64'), meta: { width: 8, height: 9 } },
      },
    });
    const identities = new IndexedIdentities(jobs.db);
    await identities.label(jobs.workspaceId, 'default_index', ids[0]![0]!, 'Anna');
    const [named] = await shown(both[1]!.jobId);
    expect([named?.label, named?.meta]).toMatchObject([
      'Anna',
      { person: 'Anna', indexed_identity: { label: 'Anna' } },
    ]);
    expect(named?.meta).not.toHaveProperty('closest_person');
    await jobs.db.transaction((manager) => erasePerson(manager, jobs.workspaceId, ids[0]![0]!));
    const [forgotten] = await shown(both[1]!.jobId);
    expect([forgotten?.label, forgotten?.meta['indexed_identity']]).toEqual(['unknown', null]);
  });

  it('are found again by a job that is folded anew', async () => {
    jobs = await FoldingJobs.start([faces('default_index')]);
    const first = await planned(1);
    await jobs.analysed(first.jobId, first.ids[0]!, ANN);
    await jobs.advance(first.jobId);
    const [before] = await shown(first.jobId);
    // A retry leaves the job like this.
    await jobs.db.query(`DELETE FROM segments WHERE job_id = $1`, [first.jobId]);
    await jobs.db.query(`UPDATE folds SET next_chunk = 0, state = NULL, closed = false WHERE job_id = $1`, [
      first.jobId,
    ]);
    await jobs.db.query(`UPDATE job_modules SET state = 'processing', segment_count = 0 WHERE job_id = $1`, [
      first.jobId,
    ]);
    await jobs.db.query(`UPDATE jobs SET state = 'processing', segment_count = 0 WHERE id = $1`, [first.jobId]);
    await jobs.advance(first.jobId);
    const [after] = await shown(first.jobId);
    expect(after?.indexId).toBe(before?.indexId);
    expect(await jobs.db.query('SELECT count(*)::int AS count FROM index_identities')).toEqual([{ count: 1 }]);
  });

  it('stay unknown when their collection is full, those in it are known, and the job says so once', async () => {
    jobs = await FoldingJobs.start([faces('default_index')]);
    jobs.settings.maxIdentities = 1;
    const { jobId, ids } = await planned(4);
    for (const [at, face] of [ANN, BOB, ANN, BOB].entries()) await jobs.analysed(jobId, ids[at]!, face);
    await jobs.advance(jobId);
    const rows = await shown(jobId);
    const first = rows[0]?.indexId;
    expect(rows.map(({ indexId }) => indexId)).toEqual([first, null, first, null]);
    expect(await jobs.db.query('SELECT state, errors FROM jobs WHERE id = $1', [jobId])).toEqual([
      {
        state: 'completed',
        errors: [
          'The index collection default_index has 1 identities, as many as it may: people who are new stay unknown. ' +
            'Delete identities, or name another collection.',
        ],
      },
    ]);
  });

  it('stay unknown when their collection is deleted while the job runs', async () => {
    jobs = await FoldingJobs.start([faces('archive')]);
    const collections = new IndexCollections(jobs.db);
    await collections.create(
      jobs.workspaceId,
      { name: 'archive', description: '', type: 'face' },
      { id: jobs.workspaceId },
    );
    const { jobId, ids } = await planned(2);
    await jobs.analysed(jobId, ids[0]!, ANN);
    await jobs.advance(jobId);
    expect((await shown(jobId))[0]?.meta['indexed_identity']).not.toBeNull();
    await collections.remove(jobs.workspaceId, 'archive');
    await jobs.analysed(jobId, ids[1]!, ANN);
    await jobs.advance(jobId);
    const rows = await shown(jobId);
    expect(rows.map(({ meta }) => meta['indexed_identity'])).toEqual([null, null]);
    expect(await jobs.states(jobId)).toEqual({ faces: 'completed' });
  });
});
