import { StandardArguments, type Json } from '@adit/contracts';
import { WorkspaceEntity } from '@adit/database';
import { defineModule } from '@adit/module-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FoldingJobs } from '../testing/folding-jobs.js';

/** Module that finds a face in each unit, and one that is too small to be compared. */
const FACES = defineModule({
  id: 'faces',
  version: 1,
  args: StandardArguments,
  media: ['video'],
  needs: () => [{ analysis: 'faces', args: {} }],
  open: () =>
    Promise.resolve({
      start: (): Json => 0,
      fold: (state: Json, { unit: { sourceIndex } }) => {
        const place = { sourceIndex, frameStart: 0, frameEnd: 0, timeStart: 0, timeEnd: 0 };
        const said = { type: 'face', label: 'unknown', confidence: 0, meta: {}, detections: [] };
        const small = { ...place, ...said, thumbnail: null, keyFrame: null };
        return { state, segments: [small, { ...small, face: { network: 'face-embedding', embedding: [0.6, 0.8] } }] };
      },
      close: () => ({ segments: [], summaries: [] }),
    }),
});

describe('faces of segments', () => {
  let jobs: FoldingJobs;
  beforeAll(async () => {
    jobs = await FoldingJobs.start([FACES]);
  });
  afterAll(() => jobs?.close());

  async function kept(retention: WorkspaceEntity['retention']): Promise<unknown[]> {
    await jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { retention });
    const jobId = await jobs.submit(['storage://film']);
    const models = [{ name: 'face-embedding', version: 1, digest: 'e'.repeat(64) }];
    await jobs.db.query(`UPDATE job_analyses SET models = $2 WHERE job_id = $1`, [jobId, JSON.stringify(models)]);
    await jobs.plan(jobId, { chunks: 1 });
    for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, 0);
    await jobs.advance(jobId);
    return jobs.db.query('SELECT workspace_id, seq, network, embedding FROM search_faces WHERE job_id = $1', [jobId]);
  }

  it('are kept where the workspace asks for it, and nowhere else', async () => {
    expect(await kept({})).toEqual([]);
    const row = { workspace_id: jobs.workspaceId, seq: 1, network: 'e'.repeat(64), embedding: [0.6, 0.8] };
    expect(await kept({ faces: 86_400 })).toEqual([row]);
    expect(await kept({ results: 86_400 })).toEqual([]);
  });
});
