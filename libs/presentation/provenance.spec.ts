import { randomUUID } from 'node:crypto';
import type { UnitOutcome } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { provenanceOf } from './provenance.js';

const cpu = { engine: '0.1.0', providers: ['cpu'] };
const gpu = { engine: '0.2.0', providers: ['cpu', 'cuda'] };

describe('the origin of a job’s results', () => {
  let own: SpecDatabase;
  let database: Database;

  beforeAll(async () => {
    own = await specDatabase();
    database = await openDatabase(own.settings);
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
  });

  /** Inserts a job that needs `faces` and `objects`, with the outcome of `faces` for each chunk. */
  const job = async (chunks: { state: string; units: UnitOutcome[] | null }[]): Promise<string> => {
    const jobId = randomUUID();
    const { manager } = database.dataSource;
    await manager.query(
      `INSERT INTO job_modules (job_id, module_id, position, posted_as, args, models, analyses, state)
       VALUES ($1, 'face_recognition', 0, 'face_recognition', '{}', '[]', '{"faces": "f"}', 'completed')`,
      [jobId],
    );
    for (const [analysis, digest] of [
      ['faces', 'f'],
      ['objects', 'o'],
    ]) {
      await manager.query(
        `INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
         VALUES ($1, $2, $3, 'test', '{}', '[{"rate": 1, "shorterSide": 100, "decoder": 7}]', '[]')`,
        [jobId, digest, analysis],
      );
    }
    for (const { state, units } of chunks) {
      await manager.query(
        `INSERT INTO chunk_analyses (chunk_id, digest, job_id, state, units) VALUES ($1, 'f', $2, $3, $4)`,
        [randomUUID(), jobId, state, units === null ? null : JSON.stringify(units)],
      );
    }
    return jobId;
  };
  const seen = (madeBy?: UnitOutcome['madeBy']): UnitOutcome => ({
    ...{ sourceIndex: 0, observations: 'a/key', error: null },
    ...(madeBy && { madeBy }),
  });
  const madeBy = async (jobId: string) => {
    const { analyses } = await provenanceOf(database.dataSource.manager, jobId);
    return analyses.map(({ analysis, made_by }) => [analysis, made_by]);
  };

  it('names every analysing service once, and none where it was not stored', async () => {
    const jobId = await job([
      { state: 'done', units: [seen(cpu), seen(gpu)] },
      { state: 'done', units: [seen(cpu), seen()] },
    ]);
    expect(await madeBy(jobId)).toEqual([
      [
        'faces',
        [
          { engine_version: null, providers: null },
          { engine_version: '0.1.0', providers: ['cpu'] },
          { engine_version: '0.2.0', providers: ['cpu', 'cuda'] },
        ],
      ],
      ['objects', []],
    ]);
  });

  it('counts neither lost nor empty chunks', async () => {
    const refused = { sourceIndex: 1, observations: null, error: 'no picture' };
    const jobId = await job([
      { state: 'failed', units: null },
      { state: 'waiting', units: null },
      { state: 'done', units: [refused, seen(cpu)] },
    ]);
    expect(await madeBy(jobId)).toEqual([
      ['faces', [{ engine_version: '0.1.0', providers: ['cpu'] }]],
      ['objects', []],
    ]);
  });
});
