import { randomUUID } from 'node:crypto';
import { analysesFolder } from '@adit/analyses';
import { insertExport } from '@adit/artifacts';
import {
  columns,
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  SegmentEntity,
  WorkspaceEntity,
} from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { JobCommands } from '@adit/jobs';
import { loadModules } from '@adit/modules';
import { filmFacts } from '@adit/testing';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  database,
  manager,
  newJob,
  objects,
  outbox,
  results,
  useExportWorld,
  workspaceId,
} from '../testing/export-world.js';
import { RefinedBorders } from './refined-borders.js';

useExportWorld();

const digest = 'f'.repeat(64);
const mediaDigest = 'a'.repeat(64);
let borders: RefinedBorders;
beforeAll(async () => {
  const registry = await AnalysisRegistry.scan(analysesFolder);
  const commands = new JobCommands(outbox, objects);
  borders = new RefinedBorders(database.dataSource, commands, registry, await loadModules(), results);
});
beforeEach(async () => {
  await manager.upsert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' }, ['id']);
});

type Found = Pick<SegmentEntity, 'label' | 'frameStart' | 'frameEnd'>;
const times = ({ frameStart, frameEnd }: Found) => ({
  timeStart: Number(frameStart) / 25,
  timeEnd: Number(frameEnd) / 25,
});

/** Segments of faces in a job. */
async function insert(jobId: string, found: readonly Found[]): Promise<void> {
  const of = { jobId, moduleId: 'face_recognition', sourceIndex: 0, type: 'face', confidence: 1, meta: {} };
  const rows = found.map((one, seq) =>
    columns<SegmentEntity>({
      ...of,
      ...one,
      ...times(one),
      seq,
      moduleSeq: seq,
      detections: [],
      thumbnail: null,
      keyFrame: null,
    }),
  );
  await manager.insert(SegmentEntity, rows);
}

/** A job that mined a film of 1,000 frames, two of them a second. */
async function mined(found: readonly Found[], facts = filmFacts()): Promise<string> {
  const jobId = await newJob(0);
  const args = { detectionScale: 600, rate: 2 };
  const frames = [{ rate: 2, shorterSide: 600 as const }];
  const analysis = { jobId, digest, analysis: 'faces', family: 'face', args, frames, models: [] };
  await manager.insert(JobAnalysisEntity, columns<JobAnalysisEntity>(analysis));
  await manager.update(JobModuleEntity, { jobId }, { analyses: { faces: digest } });
  await manager.update(JobSourceEntity, { jobId }, columns<JobSourceEntity>({ facts, mediaDigest }));
  await insert(jobId, found);
  return jobId;
}

async function exportOf(jobId: string, more: Record<string, unknown> = {}) {
  const config = { job_id: jobId, format: 'csv', refine: true, ...more };
  const row = { id: randomUUID(), workspaceId, strategy: 'segments_export' as const, config, jobId };
  await insertExport(manager, { ...row, transcriptId: null, datasetId: null });
  return { ...row, timeCreated: new Date() };
}
const ask = (row: Awaited<ReturnType<typeof exportOf>>) => borders.of(row, () => Promise.resolve());
/** The jobs that look for an export, by the first frame of their range. */
async function looks({ id }: { id: string }): Promise<Map<number, string>> {
  const jobs = await manager.findBy(JobEntity, { exportId: id });
  const ranges = await Promise.all(
    jobs.map(async ({ id: jobId }) => (await manager.findOneByOrFail(JobModuleEntity, { jobId })).range),
  );
  return new Map(
    ranges.map((range, at) => [Number(range && 'frame_start' in range && range.frame_start), jobs[at]?.id ?? '']),
  );
}

async function end(jobId: string, found: readonly Found[], digestOfSource = mediaDigest): Promise<void> {
  await insert(jobId, found);
  await manager.update(JobSourceEntity, { jobId }, { mediaDigest: digestOfSource });
  await manager.update(JobEntity, { id: jobId }, { state: 'completed' });
}

describe('borders of an export', () => {
  it('are looked for by jobs of all frames between two samples', async () => {
    const row = await exportOf(
      await mined([
        { label: 'Ada', frameStart: 375, frameEnd: 613 },
        { label: 'Bo', frameStart: 375, frameEnd: 400 },
      ]),
    );
    expect(await ask(row)).toBeNull();
    const jobs = await looks(row);
    expect([...jobs.keys()].toSorted((a, b) => a - b)).toEqual([363, 400, 613]);
    const before = jobs.get(363) ?? '';
    const module = await manager.findOneByOrFail(JobModuleEntity, { jobId: before });
    expect(module.range).toEqual({ frame_start: 363, frame_end: 375 });
    const [analysis] = await manager.findBy(JobAnalysisEntity, { jobId: before });
    expect(analysis).toMatchObject({ analysis: 'faces', args: { rate: 25 } });
    expect(analysis?.frames[0]).toMatchObject({ rate: 25 });
    // Asked again, it goes on waiting for the same jobs, and reads no segments for that.
    const read = jest.spyOn(results, 'numbered');
    expect([await ask(row), (await looks(row)).size, read.mock.calls]).toEqual([null, 3, []]);
    read.mockRestore();

    await end(before, [
      { label: 'Ada', frameStart: 370, frameEnd: 375 },
      { label: 'Bo', frameStart: 363, frameEnd: 366 },
    ]);
    await end(jobs.get(613) ?? '', [{ label: 'Ada', frameStart: 613, frameEnd: 624 }]);
    await manager.update(JobEntity, { id: jobs.get(400) ?? '' }, { state: 'failed', errors: ['The film is gone.'] });
    const refined = await ask(row);
    expect(refined?.borders).toEqual(
      new Map([[0, { frameStart: 370, timeStart: 14.8, frameEnd: 624, timeEnd: 24.96 }]]),
    );
    expect(refined?.notes.toSorted()).toEqual([
      '1 border is as sampled: The film is gone.',
      '1 border is as sampled: it was not seen there again.',
    ]);
  });

  it('are looked for anew where the segments are others since', async () => {
    const jobId = await mined([{ label: 'Ada', frameStart: 375, frameEnd: 613 }]);
    const row = await exportOf(jobId);
    expect(await ask(row)).toBeNull();
    for (const look of (await looks(row)).values()) await end(look, []);
    await manager.update(SegmentEntity, { jobId }, { frameEnd: 713 });
    expect(await ask(row)).toBeNull();
    expect([...(await looks(row)).keys()].toSorted((a, b) => a - b)).toEqual([363, 613, 713]);
  });

  it.each([
    [
      'of a film with varying frames',
      [{ label: 'Ada' }],
      filmFacts({ variableFrameRate: true }),
      /^2 .*distance of .*varies/,
    ],
    ['of unknown people', [{ label: 'unknown' }], filmFacts(), /^2 .*unknown people cannot be told apart/],
  ])('%s stay as they are, and the export says so', async (_, found, facts, note) => {
    const row = await exportOf(
      await mined(
        found.map((one) => ({ ...one, frameStart: 375, frameEnd: 613 })),
        facts,
      ),
    );
    expect(await ask(row)).toEqual({ borders: new Map(), notes: [expect.stringMatching(note)] });
  });

  it('stay as they are where the source is another file since, and where nobody looked in time', async () => {
    const row = await exportOf(await mined([{ label: 'Ada', frameStart: 375, frameEnd: 613 }]));
    await ask(row);
    const jobs = await looks(row);
    await end(jobs.get(363) ?? '', [{ label: 'Ada', frameStart: 370, frameEnd: 375 }], 'b'.repeat(64));
    const late = { ...row, timeCreated: new Date(Date.now() - 3_601_000) };
    const refined = await ask(late);
    expect(refined?.borders.size).toBe(0);
    expect(refined?.notes.toSorted()).toEqual([
      '1 border is as sampled: nobody looked within an hour.',
      '1 border is as sampled: the source is another file since.',
    ]);
  });
});
