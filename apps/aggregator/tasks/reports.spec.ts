import { randomUUID } from 'node:crypto';
import { BatchEntity, columns, ReportEntity, ReportItemEntity, SegmentEntity, SummaryEntity } from '@adit/database';
import { describe, expect, it } from '@jest/globals';
import { useExportWorld, workspaceId, manager, reports, newJob, sum } from '../testing/export-world.js';

useExportWorld();

describe('a report', () => {
  const empty = { gender_speech_time: {}, age_speech_time: {}, name_to_speech_time: {} };

  async function newBatch(parentId: string | null): Promise<string> {
    const id = randomUUID();
    await manager.insert(BatchEntity, { id, workspaceId, parentId, name: 'b' });
    return id;
  }
  async function reported(batchId: string): Promise<{ report: ReportEntity; items: ReportItemEntity[] }> {
    const id = randomUUID();
    await manager.insert(ReportEntity, { id, workspaceId, batchId, title: 't' });
    await reports.idle();
    return {
      report: await manager.findOneByOrFail(ReportEntity, { id }),
      items: await manager.find(ReportItemEntity, { where: { reportId: id }, order: { position: 'ASC' } }),
    };
  }

  it('aggregates each batch with all below it', async () => {
    const root = await newBatch(null);
    const child = await newBatch(root);
    const grandchild = await newBatch(child);
    const empties = await newBatch(root);
    await newBatch(null);
    const jobs = [await newJob(0, root), await newJob(0, grandchild), await newJob(0, grandchild)];
    for (const jobId of jobs) {
      await sum(jobId, 'gender_count', { female: 2, male: 1 });
      await sum(jobId, 'age_count', { '30-44': 3 });
      await sum(jobId, 'person_screen_time', { Ada: 1.5, 'Unknown #1': 2, 'Unknown #2': 3, __proto__x: 1 });
      await sum(jobId, 'gender_screen_time', { female: 5.25 });
      await sum(jobId, 'age_screen_time', { '30-44': 6.5 });
    }
    const elsewhere = await newJob(0, await newBatch(null));
    await sum(elsewhere, 'gender_count', { male: 99 });
    const { report, items } = await reported(root);
    expect(report).toMatchObject({ state: 'completed', errorMsg: null });
    const of = (times: number) => ({
      ...empty,
      gender_count: { female: 2 * times, male: times },
      age_count: { '30-44': 3 * times },
      person_screen_time: { Ada: 1.5 * times, Unknown: 5 * times, __proto__x: times },
      gender_screen_time: { female: 5.25 * times },
      age_screen_time: { '30-44': 6.5 * times },
    });
    const none = {
      gender_count: {},
      age_count: {},
      person_screen_time: {},
      gender_screen_time: {},
      age_screen_time: {},
    };
    const found = Object.fromEntries(items.map(({ batchId, info }) => [batchId, info]));
    expect(found).toEqual({
      [root]: of(3),
      [child]: of(2),
      [grandchild]: of(2),
      [empties]: { ...none, ...empty },
    });
    expect(items[0]!.batchId).toBe(root);
    const position = (id: string): number => items.findIndex(({ batchId }) => batchId === id);
    expect(position(child)).toBeLessThan(position(grandchild));
  });

  it('names likely speakers, of jobs that know faces and speech', async () => {
    const root = await newBatch(null);
    const [jobId, silent] = [await newJob(0, root), await newJob(0, root)];
    const person = (label: string | null, gender: string, shown: number[]) => ({
      ...{ label, listed: true, gender, age: '30-44', shown },
    });
    const people = [
      person('Ada', 'female', [0, 10, 20, 30]),
      person(null, 'male', [10, 20]),
      person(null, 'male', [40, 50]),
    ];
    for (const id of [jobId, silent]) {
      await sum(id, 'person_screen_time', { Ada: 20, 'Unknown #1': 10, 'Unknown #2': 10 });
      await manager.update(SummaryEntity, { jobId: id }, { people });
    }
    // Lists of summaries of a thousand films do not include it.
    const [row] = await manager.findBy(SummaryEntity, { jobId });
    expect([row?.type, row?.people]).toEqual(['person_screen_time', undefined]);
    const segment = (seq: number, moduleId: string, type: string, timeStart: number, timeEnd: number, meta: object) =>
      columns<SegmentEntity>({
        ...{
          jobId,
          seq,
          moduleId,
          moduleSeq: seq,
          sourceIndex: 0,
          frameStart: null,
          frameEnd: null,
          timeStart,
          timeEnd,
        },
        ...{ type, label: type, confidence: 1, meta: meta as Record<string, never>, detections: [] },
        ...{ thumbnail: null, keyFrame: null },
      });
    const word = (time_start: number, time_end: number) => ({ text: 'so', time_start, time_end, confidence: 1 });
    await manager.insert(SegmentEntity, [
      segment(0, 'speech_recognition', 'speech', 1, 12, { text: 'so so', words: [word(1, 3.5), word(11, 12)] }),
      segment(1, 'speech_recognition', 'speech', 41, 45, { text: 'so' }),
      segment(2, 'speech_recognition', 'translation', 41, 45, { text: 'so' }),
      segment(3, 'lower_third_recognition', 'lower_third', 42, 44, { label: 'Jo Weber' }),
    ]);
    const { items } = await reported(root);
    expect(items[0]?.info).toMatchObject({
      gender_speech_time: { female: 2.5, male: 5 },
      age_speech_time: { '30-44': 7.5 },
      name_to_speech_time: { Ada: 2.5, Unknown: 1, 'Jo Weber': 4 },
    });
  });

  it('of a batch that was deleted fails with the reason', async () => {
    const { report, items } = await reported(randomUUID());
    expect(report).toMatchObject({ state: 'failed', errorMsg: 'The batch was deleted.' });
    expect(items).toEqual([]);
  });
});
