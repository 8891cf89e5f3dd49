import { FoldEntity } from '@adit/database';
import type { EndedSegment, StartedSegment } from '@adit/jobs';
import { configureLogging } from '@adit/runtime';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { countingModule, FoldingJobs } from '../testing/folding-jobs.js';
import { sightingsModule } from '../testing/sightings-module.js';

const BOTH = ['job.on_segment_start', 'job.on_segment_end'];

describe('segments of a live stream', () => {
  let jobs: FoldingJobs;

  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  /** Analyses and folds a second of the stream, with two samples that show the labels. */
  async function shows(jobId: string, position: number, labels: string[]): Promise<void> {
    const sample = (half: number) => ({ frame: position * 25 + half * 12, time: position + half * 0.5, labels });
    const id = await jobs.append(jobId, position);
    await jobs.analysed(jobId, id!, { sampled: [sample(0), sample(1)] });
  }

  /** Starts and ends that were raised, in order. */
  async function told(jobId: string, events = BOTH): Promise<(['start', string, string] | ['end', string])[]> {
    await jobs.outbox.idle();
    const raised = jobs.messages.flatMap(({ topic, envelope }) => {
      if (topic !== 'events.raised' || envelope.jobId !== jobId) return [];
      return [envelope.payload as unknown as { event: string; data: Record<string, { segments: unknown[] }> }];
    });
    return raised.flatMap(({ event, data }) => {
      if (!events.includes(event)) return [];
      const started = (data['started']?.segments ?? []) as StartedSegment[];
      const ended = (data['ended']?.segments ?? []) as EndedSegment[];
      return [
        ...started.map(({ id, label }): ['start', string, string] => ['start', id, label]),
        ...ended.map(({ id }): ['end', string] => ['end', id]),
      ];
    });
  }

  const started = async (events: string[], modules = [sightingsModule()]): Promise<string> => {
    jobs = await FoldingJobs.start(modules);
    return jobs.submitLive(events);
  };

  it('start when they are seen and end when they are final, each once', async () => {
    const jobId = await started(BOTH);
    for (const [at, labels] of [['anna'], ['anna', 'bert'], ['bert'], [], [], [], []].entries()) {
      await shows(jobId, at, labels);
      await jobs.advance(jobId);
      // A message that comes again, or another process.
      await jobs.advance(jobId);
      if (at === 0) expect(await told(jobId)).toMatchObject([['start', expect.any(String), 'anna']]);
    }
    const [anna, bert, ...ends] = await told(jobId);
    expect([anna, bert]).toMatchObject([
      ['start', expect.any(String), 'anna'],
      ['start', expect.any(String), 'bert'],
    ]);
    expect(ends).toEqual([
      ['end', anna![1]],
      ['end', bert![1]],
    ]);
    expect(await jobs.db.manager.findOneByOrFail(FoldEntity, { jobId })).toMatchObject({ announced: [] });
  });

  it('start when they have passed the thresholds of their module', async () => {
    const jobId = await started(BOTH, [sightingsModule({ minSamples: 3 })]);
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    expect(await told(jobId)).toEqual([]);
    await shows(jobId, 1, ['anna']);
    await jobs.advance(jobId);
    expect(await told(jobId)).toMatchObject([['start', expect.any(String), 'anna']]);
  });

  it('start and end at once when they come and go between two steps, or their module knows none that are open', async () => {
    const jobId = await started(BOTH, [sightingsModule(), countingModule('units')]);
    for (const [at, labels] of [['anna'], [], [], []].entries()) await shows(jobId, at, labels);
    await jobs.advance(jobId);
    const all = await told(jobId);
    const starts = all.filter(([what]) => what === 'start');
    expect(starts.map(([, , label]) => label).sort()).toEqual(['anna', 'unit 0', 'unit 1', 'unit 2', 'unit 3']);
    const ends = all.filter(([what]) => what === 'end');
    expect(ends.map(([, id]) => id).sort()).toEqual(starts.map(([, id]) => id).sort());
  });

  it('end with the stream, also when it is stopped', async () => {
    const jobId = await started(BOTH);
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    await jobs.commands.stop(jobs.workspaceId, jobId);
    await jobs.advance(jobId);
    const [start, end, ...more] = await told(jobId);
    expect([start, end, more]).toEqual([['start', start![1], 'anna'], ['end', start![1]], []]);
  });

  it('end when their module fails', async () => {
    const jobId = await started(BOTH);
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    const broken = await jobs.append(jobId, 1);
    await jobs.analysed(jobId, broken!, {});
    await jobs.advance(jobId);
    const [start, end, ...more] = await told(jobId);
    expect([start, end, more]).toEqual([['start', start![1], 'anna'], ['end', start![1]], []]);
  });

  it('are announced for the events that the webhook asks for, under the name of the module', async () => {
    const asked = ['job.sightings.on_segment_start', 'job.on_completed'];
    const jobId = await started(asked);
    await shows(jobId, 0, ['anna']);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    const all = ['job.sightings.on_segment_start', 'job.sightings.on_segment_end', ...BOTH];
    expect(await told(jobId, all)).toMatchObject([['start', expect.any(String), 'anna']]);
  });

  it('end though they came to nothing, such as what was seen before an erasure', async () => {
    const jobId = await started(BOTH);
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    await jobs.db.query('UPDATE folds SET state = NULL WHERE job_id = $1', [jobId]);
    await shows(jobId, 1, []);
    await jobs.advance(jobId);
    const [start, end] = await told(jobId);
    expect(end).toEqual(['end', start![1]]);
  });

  it('of a film, or of a stream that nobody watches, are not announced', async () => {
    const jobId = await started([]);
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    expect(await jobs.db.manager.findOneByOrFail(FoldEntity, { jobId })).toMatchObject({ announced: null });
    const film = await jobs.submit(['storage://film'], [], { events: BOTH });
    await jobs.plan(film, { chunks: 1 });
    const [id] = await jobs.chunkIds(film);
    await jobs.analysed(film, id!, { sampled: [{ frame: 0, time: 0, labels: ['anna'] }] });
    await jobs.advance(film);
    expect(await told(film)).toEqual([]);
  });
});
