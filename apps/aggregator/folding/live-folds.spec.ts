import { ChunkEntity, FoldEntity, JobEntity, JobSourceEntity, SegmentEntity } from '@adit/database';
import { failLostLive, redecode } from '@adit/jobs';
import { configureLogging } from '@adit/runtime';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countingModule, FoldingJobs, HEARD } from '../testing/folding-jobs.js';
import { sightingsModule, type Sightings } from '../testing/sightings-module.js';

const FRAMES_A_SECOND = 25;

/** A second of observations with two samples, both of which show the labels. */
function second(at: number, labels: string[]): Sightings {
  const sample = (half: number) => ({ frame: at * FRAMES_A_SECOND + half * 12, time: at + half * 0.5, labels });
  return { sampled: [sample(0), sample(1)] };
}

describe('folding a live stream', () => {
  let jobs: FoldingJobs;

  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  const started = async (modules = [sightingsModule()]): Promise<string> => {
    jobs = await FoldingJobs.start(modules);
    return jobs.submitLive();
  };
  const job = (jobId: string) => jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
  const found = async (jobId: string) => {
    const rows = await jobs.db.manager.find(SegmentEntity, { where: { jobId }, order: { seq: 'ASC' } });
    return rows.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd]);
  };
  /** Appends a second of the stream and analyses it. */
  const shows = async (jobId: string, position: number, labels: string[]): Promise<void> => {
    const id = await jobs.append(jobId, position);
    if (id === null) throw new Error('the stream has ended');
    await jobs.analysed(jobId, id, second(position, labels));
  };

  it('stores segments while the stream runs, and ends the job behind its last chunk', async () => {
    const jobId = await started();
    for (const [at, labels] of [['anna'], ['anna'], [], [], [], ['bert']].entries()) {
      await shows(jobId, at, labels);
      await jobs.advance(jobId);
    }
    expect(await found(jobId)).toEqual([['anna', 0, 1.5]]);
    expect(await job(jobId)).toMatchObject({ state: 'processing', progress: 0 });

    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await found(jobId)).toEqual([
      ['anna', 0, 1.5],
      ['bert', 5, 5.5],
    ]);
    expect(await job(jobId)).toMatchObject({ state: 'completed', progress: 1 });
    const source = await jobs.db.manager.findOneByOrFail(JobSourceEntity, { jobId });
    expect(source).toMatchObject({ state: 'planned', facts: { live: true, duration: 1 } });
  });

  it('takes chunks in their order, whichever is analysed first', async () => {
    const jobId = await started();
    const [first, next] = [await jobs.append(jobId, 0), await jobs.append(jobId, 1)];
    await jobs.analysed(jobId, next!, second(1, ['bert']));
    await jobs.advance(jobId);
    const fold = () => jobs.db.manager.findOneByOrFail(FoldEntity, { jobId });
    expect(await fold()).toMatchObject({ nextLive: 0, state: null });
    await jobs.analysed(jobId, first!, second(0, ['anna']));
    await jobs.advance(jobId);
    expect(await fold()).toMatchObject({ nextLive: 2, nextChunk: 0, closed: false });
  });

  it('passes over chunks that have nothing for a module', async () => {
    const jobId = await started();
    await jobs.appendSound(jobId, 0);
    await shows(jobId, 1, ['anna']);
    await jobs.appendSound(jobId, 2);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await found(jobId)).toEqual([['anna', 1, 1.5]]);
    expect(await job(jobId)).toMatchObject({ state: 'completed', errors: [] });
  });

  it('names what could not be analysed, and goes on', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    for (const at of [1, 2]) await jobs.lost(jobId, (await jobs.append(jobId, at))!, 'the network died');
    await shows(jobId, 3, ['anna']);
    await jobs.advance(jobId);
    expect((await job(jobId)).errors).toEqual([expect.stringMatching(/ 1\.0–3\.0 s .*the network died$/)]);
    expect(await jobs.db.manager.findOneByOrFail(FoldEntity, { jobId })).toMatchObject({ nextLive: 4 });
  });

  it('keeps what is open when the stream is stopped, and is stopped when that is folded', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    const last = await jobs.append(jobId, 1);
    await jobs.commands.stop(jobs.workspaceId, jobId);
    expect(await jobs.append(jobId, 2)).toBeNull();
    expect(await job(jobId)).toMatchObject({ state: 'processing' });
    // A client that is in doubt asks again.
    await jobs.commands.stop(jobs.workspaceId, jobId);

    await jobs.analysed(jobId, last!, second(1, ['anna']));
    await jobs.advance(jobId);
    expect(await found(jobId)).toEqual([['anna', 0, 1.5]]);
    // All that there was is mined.
    expect(await job(jobId)).toMatchObject({ state: 'stopped', progress: 1 });
    expect(await jobs.db.query('SELECT progress FROM job_modules WHERE job_id = $1', [jobId])).toEqual([
      { progress: 1 },
    ]);
    expect(await jobs.states(jobId)).toEqual({ sightings: 'stopped' });
    const files: { filename: string }[] = await jobs.db.query('SELECT filename FROM artifacts WHERE job_id = $1', [
      jobId,
    ]);
    expect(files.map(({ filename }) => filename).sort()).toEqual(['report.html', 'results.json']);
    expect(await jobs.events(jobId, 'job.on_stopped')).toHaveLength(1);
    await expect(jobs.commands.stop(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('stops a stream at once that nobody has opened yet', async () => {
    jobs = await FoldingJobs.start([sightingsModule()]);
    const jobId = await jobs.submit(['rtsp://camera.example/'], [], { mediaType: 'videostream' });
    await jobs.commands.stop(jobs.workspaceId, jobId);
    expect(await job(jobId)).toMatchObject({ state: 'stopped', progress: 0 });
  });

  it('gives up a chunk that would have to be decoded again', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    const lost = await jobs.append(jobId, 1);
    await jobs.outbox.transaction(async (manager) => {
      await redecode(manager, lost!);
      await failLostLive(manager, { chunkId: lost! });
    });
    await jobs.deliverAnalysed(jobId);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await job(jobId)).toMatchObject({ state: 'completed' });
    expect((await job(jobId)).errors).toEqual([expect.stringMatching(/ 1\.0–2\.0 s .*cannot be decoded again$/)]);
    expect(await jobs.db.manager.findOneByOrFail(ChunkEntity, { id: lost! })).toMatchObject({ state: 'done' });
  });

  it('gives up after a while what a stopped stream has left, so that its job ends', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    await jobs.append(jobId, 1);
    await jobs.commands.stop(jobs.workspaceId, jobId);
    const reconcile = async (): Promise<void> => {
      await jobs.reconciler.run();
      await jobs.deliverAnalysed(jobId);
      await jobs.advance(jobId);
    };
    await reconcile();
    expect(await job(jobId)).toMatchObject({ state: 'processing', errors: [] });
    await jobs.db.query(`UPDATE jobs SET time_stop_asked = time_stop_asked - interval '31 s' WHERE id = $1`, [jobId]);
    await reconcile();
    expect(await job(jobId)).toMatchObject({ state: 'stopped' });
    expect((await job(jobId)).errors).toEqual([expect.stringMatching(/ 1\.0–2\.0 s .*not analysed within 30 s/)]);
    expect(await found(jobId)).toEqual([['anna', 0, 0.5]]);
  });

  it('gives up chunks that a build has decoded again which knows no streams', async () => {
    const jobId = await started();
    const lost = await jobs.append(jobId, 0);
    await jobs.outbox.transaction((manager) => redecode(manager, lost!));
    await jobs.reconciler.run();
    await jobs.deliverAnalysed(jobId);
    await shows(jobId, 1, ['anna']);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await job(jobId)).toMatchObject({ state: 'completed' });
    expect((await job(jobId)).errors).toEqual([expect.stringMatching(/ 0\.0–1\.0 s .*cannot be decoded again$/)]);
  });

  it('fails a module that has lost every chunk', async () => {
    const jobId = await started();
    for (const at of [0, 1]) await jobs.lost(jobId, (await jobs.append(jobId, at))!, 'the network died');
    await jobs.appendSound(jobId, 2);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await job(jobId)).toMatchObject({ state: 'failed' });
  });

  it('joins errors of one reason for a hundred chunks at a time', async () => {
    const jobId = await started();
    for (let at = 0; at < 103; at++) {
      const id = await jobs.append(jobId, at);
      if (at % 50 === 49 || at > 99) await jobs.lost(jobId, id!, 'the network died');
    }
    expect((await job(jobId)).errors).toEqual([
      expect.stringMatching(/ 49\.0–50\.0 s, 99\.0–100\.0 s \(2 chunks\) .*the network died$/),
      expect.stringMatching(/ 100\.0–103\.0 s \(3 chunks\) .*the network died$/),
    ]);
  });

  it('finishes on a retry what was analysed, and names the rest', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    await jobs.append(jobId, 1);
    // As a build does that knows no streams.
    await jobs.db.query(`UPDATE job_modules SET state = 'stopped' WHERE job_id = $1`, [jobId]);
    await jobs.db.query(`UPDATE jobs SET state = 'stopped', time_completed = now() WHERE id = $1`, [jobId]);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    await jobs.deliverAnalysed(jobId);
    await jobs.advance(jobId);
    expect(await found(jobId)).toEqual([['anna', 0, 0.5]]);
    expect(await job(jobId)).toMatchObject({ state: 'completed' });
    expect((await job(jobId)).errors).toEqual([expect.stringMatching(/ 1\.0–2\.0 s .*cannot be decoded again$/)]);
    await expect(jobs.commands.retry(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('folds anew from the first chunk after another version of the module', async () => {
    const jobId = await started([sightingsModule({ version: 1 })]);
    for (let at = 0; at < 40; at++) await shows(jobId, at, ['anna']);
    await jobs.advance(jobId);
    await jobs.db.query(`UPDATE folds SET state = replace(state, '"version":1', '"version":0') WHERE job_id = $1`, [
      jobId,
    ]);
    await shows(jobId, 40, ['anna']);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await found(jobId)).toEqual([['anna', 0, 40.5]]);
  });

  it('appends each position once, in order, while the job runs', async () => {
    const jobId = await started();
    const first = await jobs.append(jobId, 0);
    expect(await jobs.append(jobId, 0)).toBe(first);
    expect(await jobs.db.manager.countBy(ChunkEntity, { jobId })).toBe(1);
    await expect(jobs.append(jobId, 2)).rejects.toMatchObject({ code: 'CONFLICT' });
    // Another recorder takes the stream over.
    await jobs.openLive(jobId);
    expect(await jobs.append(jobId, 1)).not.toBeNull();
    await jobs.commands.delete(jobs.workspaceId, jobId);
    expect(await jobs.append(jobId, 2)).toBeNull();
  });

  it('refuses a stream to modules that take no video', async () => {
    const deaf = { ...countingModule('pictures'), media: ['image' as const] };
    const jobId = await started([sightingsModule(), deaf]);
    expect((await job(jobId)).errors).toEqual([expect.stringContaining('takes images, not video')]);
    await jobs.endLive(jobId);
    await jobs.advance(jobId);
    expect(await jobs.states(jobId)).toEqual({ sightings: 'completed', pictures: 'failed' });
  });

  describe('whose sound is heard', () => {
    const hearing = { ...countingModule('hearing'), media: ['audio' as const, 'video' as const] };
    const opened = async (channels: number): Promise<string> => {
      jobs = await FoldingJobs.start([sightingsModule(), hearing]);
      const jobId = await jobs.submit(['rtsp://camera.example/'], [], { mediaType: 'videostream' });
      const audioStreams = channels === 0 ? [] : [{ stream: 1, codec: 'aac', channels, sampleRate: 48_000 }];
      await jobs.openLive(jobId, { audioStreams });
      return jobId;
    };

    it('folds sound and pictures each by the modules that want them, in one row of positions', async () => {
      const jobId = await opened(2);
      await shows(jobId, 0, ['anna']);
      const sounds = [await jobs.appendSound(jobId, 1), await jobs.appendSound(jobId, 3 - 1)];
      await shows(jobId, 3, ['anna']);
      // Pictures do not wait for the sound between them.
      await jobs.advance(jobId);
      const folds = async (): Promise<Record<string, number | null>> => {
        const rows = await jobs.db.manager.findBy(FoldEntity, { jobId });
        return Object.fromEntries(rows.map(({ moduleId, nextLive }) => [moduleId, nextLive]));
      };
      expect(await folds()).toEqual({ sightings: 4, hearing: 1 });
      for (const id of sounds.reverse()) await jobs.analysed(jobId, id!, {}, HEARD);
      await jobs.advance(jobId);
      expect(await folds()).toEqual({ sightings: 4, hearing: 4 });
      await jobs.endLive(jobId);
      await jobs.advance(jobId);
      expect(await job(jobId)).toMatchObject({ state: 'completed', errors: [] });
      const rows = await jobs.db.manager.findBy(SegmentEntity, { jobId, moduleId: 'hearing' });
      expect(rows).toHaveLength(2);
    });

    it('waits at a stop for the sound that its recorder has not cut yet, and not for long', async () => {
      const jobId = await opened(1);
      await jobs.db.query(
        `UPDATE streams SET state = 'processing', lease_until = now() + interval '1 minute' WHERE job_id = $1`,
        [jobId],
      );
      await jobs.commands.stop(jobs.workspaceId, jobId);
      expect(await jobs.appendSound(jobId, 0)).not.toBeNull();
      await jobs.reconciler.run();
      expect(await jobs.appendSound(jobId, 1)).not.toBeNull();
      // The recorder has died.
      await jobs.db.query(`UPDATE jobs SET time_stop_asked = time_stop_asked - interval '11 s' WHERE id = $1`, [jobId]);
      await jobs.reconciler.run();
      expect(await jobs.appendSound(jobId, 2)).toBeNull();
      const source = await jobs.db.manager.findOneByOrFail(JobSourceEntity, { jobId });
      expect(source.state).toBe('planned');
    });

    it('refuses a stream without sound to the modules that need it, with the reason', async () => {
      const jobId = await opened(0);
      expect((await job(jobId)).errors).toEqual([
        expect.stringContaining('hearing needs sound, and the stream has none'),
      ]);
      await shows(jobId, 0, ['anna']);
      await jobs.endLive(jobId);
      await jobs.advance(jobId);
      expect(await jobs.states(jobId)).toEqual({ sightings: 'completed', hearing: 'failed' });
    });
  });

  it('leaves a fold to builds that know streams', async () => {
    const jobId = await started();
    await shows(jobId, 0, ['anna']);
    await jobs.advance(jobId);
    // What a build asks that knows only lists of chunks.
    const ready: unknown[] = await jobs.db.query(
      `SELECT 1 FROM folds f JOIN job_modules m ON m.job_id = f.job_id AND m.module_id = f.module_id
        WHERE f.job_id = $1 AND NOT f.closed AND NOT EXISTS (
          SELECT 1 FROM jsonb_each_text(m.analyses) n
           WHERE f.next_chunk < jsonb_array_length(f.chunk_ids) AND NOT EXISTS (
             SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = (f.chunk_ids ->> f.next_chunk)::uuid
                AND a.digest = n.value AND a.state IN ('done', 'failed')))`,
      [jobId],
    );
    expect(ready).toEqual([]);
  });

  it('takes no slot of the scheduler', async () => {
    const jobId = await started();
    await jobs.append(jobId, 0);
    const waiting = await jobs.submit(['rtsp://other.example/'], [], { mediaType: 'videostream' });
    await jobs.schedule();
    const states = await jobs.db.manager.findBy(JobSourceEntity, { jobId: waiting });
    expect(states).toMatchObject([{ state: 'waiting' }]);
    expect(await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId })).toMatchObject({ state: 'decoded' });
  });

  it('reads no more for a second of a day than for the first ones', async () => {
    const jobId = await started();
    // Stands for the day so far.
    await jobs.db.query(
      `INSERT INTO chunks (id, job_id, position, source_start, source_end, interval, state)
       SELECT gen_random_uuid(), $1, n, 0, 1, '{"frameStart": 0, "frameEnd": 1, "ptsStart": 0, "ptsEnd": 1, "seekPts": 0}', 'done'
         FROM generate_series(0, 29999) n`,
      [jobId],
    );
    await jobs.db.query(
      `INSERT INTO chunk_analyses (chunk_id, digest, job_id, state, units)
       SELECT c.id, a.digest, c.job_id, 'done', '[]' FROM chunks c JOIN job_analyses a ON a.job_id = c.job_id
        WHERE c.job_id = $1`,
      [jobId],
    );
    await jobs.db.query('UPDATE folds SET next_live = 30000 WHERE job_id = $1', [jobId]);
    await jobs.db.query('ANALYZE');
    jobs.asked = [];
    await shows(jobId, 30_000, ['anna']);
    await jobs.advance(jobId);
    expect(await jobs.db.manager.findOneByOrFail(FoldEntity, { jobId })).toMatchObject({ nextLive: 30_001 });
    const asked = jobs.asked.filter(
      ({ sql }) => /\b(chunks|chunk_analyses|folds)\b/.test(sql) && !/INSERT INTO chunks/.test(sql),
    );
    expect(asked.length).toBeGreaterThan(5);
    const costly: unknown[] = [];
    for (const { sql, values } of asked) {
      const rows = await jobs.rowsTouched(sql, values);
      if (rows > 200) costly.push({ rows, sql });
    }
    expect(costly).toEqual([]);
  });

  it('finds the segments of the film that it shows', async () => {
    jobs = await FoldingJobs.start([sightingsModule()]);
    const labels = fc.uniqueArray(fc.constantFrom('anna', 'bert', 'carl'), { maxLength: 2 });
    const films = fc.array(labels, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(films, fc.infiniteStream(fc.nat(2)), async (shown, random) => {
        const film = await jobs.submit(['storage://film']);
        await jobs.plan(film, { chunks: shown.length });
        const ids = await jobs.chunkIds(film);
        for (const [at, id] of ids.entries()) await jobs.analysed(film, id, second(at, shown[at]!));
        await jobs.advance(film);

        const stream = await jobs.submitLive();
        // Chunks of one to three seconds, folded one by one or together.
        for (let [position, at] = [0, 0]; at < shown.length; position++) {
          const seconds = shown.slice(at, at + 1 + random.next().value!);
          const sampled = seconds.flatMap((seen, i) => second(at + i, seen).sampled);
          await jobs.analysed(stream, (await jobs.append(stream, position))!, { sampled });
          if (random.next().value === 0) await jobs.advance(stream);
          at += seconds.length;
        }
        await jobs.endLive(stream);
        await jobs.advance(stream);
        expect(await found(stream)).toEqual(await found(film));
      }),
      { numRuns: 8 },
    );
  });
});
