import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { ArtifactEntity, JobEndingEntity, JobEntity } from '@adit/database';
import { sourceName, type ModuleDefinition } from '@adit/module-kit';
import { configureLogging } from '@adit/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countingModule, FoldingJobs } from '../testing/folding-jobs.js';

/** Module that writes a file with the results of each source. */
const WRITING: ModuleDefinition = {
  ...countingModule('writing'),
  async *files(_, { sources, segments }) {
    for (const { index, uri } of sources) {
      const labels: unknown[] = [];
      for await (const { meta } of segments(index, 'unit')) labels.push(meta['label']);
      const body = Readable.from([`${sourceName(uri)}: ${labels.join(', ')}`], { objectMode: false });
      yield { filename: `${index + 1}.txt`, mimeType: 'text/plain', body };
    }
  },
};

describe('the end of a job', () => {
  let jobs: FoldingJobs;
  let jobId: string;

  beforeAll(() => configureLogging({ level: 'silent' }));
  beforeEach(async () => {
    jobs = await FoldingJobs.start([countingModule('one')]);
    jobId = await analysedJob();
  });
  afterEach(() => jobs.close());

  const analysedJob = async (): Promise<string> => {
    const id = await jobs.submit(['storage://film']);
    await jobs.plan(id, { chunks: 1 });
    for (const chunk of await jobs.chunkIds(id)) await jobs.analysed(id, chunk, {});
    return id;
  };

  const job = () => jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
  const left = () => jobs.db.manager.countBy(JobEndingEntity, { jobId });

  /** Blocks files in the object store until `open` is called; `begun` resolves when the first one starts. */
  function gate() {
    const put = jobs.objects.put.bind(jobs.objects);
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let count = 0;
    const begun = new Promise<void>((resolve) => {
      jobs.objects.put = async (...args) => {
        count += 1;
        resolve();
        await opened;
        return put(...args);
      };
    });
    return { open, begun, count: () => count };
  }

  /** @hardening jobs: The end of a job blocks its Kafka partition */
  it('blocks no message, and is written once however often the job is checked', async () => {
    const { open, begun, count } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.jobs.advance(jobId);
    await jobs.jobs.advance(jobId);
    expect((await job()).state).toBe('processing');
    open();
    await jobs.endings.idle();
    expect((await job()).state).toBe('completed');
    expect([count(), await jobs.db.manager.countBy(ArtifactEntity, { jobId }), await left()]).toEqual([2, 2, 0]);
  });

  it('is written by a retry when the job was stopped meanwhile', async () => {
    const { open, begun } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.commands.stop(jobs.workspaceId, jobId);
    open();
    await jobs.endings.idle();
    expect([(await job()).state, await left()]).toEqual(['stopped', 0]);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    expect((await job()).state).toBe('waiting');
    await jobs.jobs.advanceAll();
    await jobs.endings.idle();
    expect((await job()).state).toBe('completed');
    expect([await jobs.db.manager.countBy(ArtifactEntity, { jobId }), await left()]).toEqual([2, 0]);
  });

  it('is completed by another process when the first one died', async () => {
    const { open, begun } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.db.query(`UPDATE job_endings SET attempts = 2, lease_until = now() - interval '1 second'`);
    open();
    await jobs.endings.idle();
    expect((await job()).state).toBe('completed');
    expect([await jobs.db.manager.countBy(ArtifactEntity, { jobId }), await left()]).toEqual([2, 0]);
    const files: string[] = [];
    for await (const { key } of jobs.objects.list(`jobs/${jobId}/artifacts/`)) files.push(key);
    expect(files).toHaveLength(2);
  });

  it('is without files when they cannot be written', async () => {
    jobs.objects.put = () => Promise.reject(new Error('no'));
    await jobs.jobs.advance(jobId);
    await jobs.endings.idle();
    expect((await job()).state).toBe('processing');
    await jobs.db.query(`UPDATE job_endings SET attempts = 3, lease_until = now() - interval '1 second'`);
    await jobs.endings.idle();
    const { state, errors } = await job();
    expect(state).toBe('completed');
    expect(errors).toEqual([expect.stringMatching(/^The files of the job could not be written: /)]);
    expect(await left()).toBe(0);
  });

  it('waits for the pictures of its files while the object store is unavailable, and leaves out a missing one', async () => {
    const shown = { width: 4, height: 5 };
    const pictures = { there: `jobs/${jobId}/pictures/there.jpg`, gone: `jobs/${jobId}/pictures/gone.jpg` };
    const read = jobs.objects.read.bind(jobs.objects);
    await jobs.objects.put(pictures.there, Buffer.from('a face'));
    // The folds end, and the job does before its files are written.
    const { open, begun } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.db.query(`UPDATE segments SET thumbnail = $2, key_frame = $3 WHERE job_id = $1`, [
      jobId,
      JSON.stringify({ key: pictures.there, ...shown }),
      JSON.stringify({ frame: 0, picture: { key: pictures.gone, ...shown } }),
    ]);
    await jobs.db.query(`UPDATE job_endings SET attempts = 2, lease_until = now() - interval '1 second'`);
    jobs.objects.read = () => Promise.reject(new AditError('UNAVAILABLE', '503'));
    open();
    await jobs.endings.idle();
    expect([(await job()).state, (await job()).errors]).toEqual(['processing', []]);
    const put: string[] = [];
    for await (const { key } of jobs.objects.list(`jobs/${jobId}/artifacts/`)) put.push(key);
    expect(put).toEqual([]);
    // No failure is counted, however often it is tried.
    expect(await jobs.db.manager.findOneByOrFail(JobEndingEntity, { jobId })).toMatchObject({ attempts: 2 });
    jobs.objects.read = read;
    await jobs.db.query(`UPDATE job_endings SET lease_until = now() - interval '1 second'`);
    await jobs.endings.idle();
    expect((await job()).state).toBe('completed');
    const files = await jobs.db.manager.find(ArtifactEntity, { where: { jobId }, order: { filename: 'DESC' } });
    const [results, report] = await Promise.all(files.map(async (each) => String(await read(each.objectKey))));
    const image = Buffer.from('a face').toString('base64');
    expect(JSON.parse(results ?? '')).toMatchObject({ detailed_results: [{ thumbnail: { image } }] });
    expect(report).toContain(image);
  });

  it('is not given up by a process that has lost it to another', async () => {
    let refuse!: (error: Error) => void;
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    const begun = new Promise<void>((resolve) => {
      jobs.objects.put = () => {
        resolve();
        return refused;
      };
    });
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.db.query(`UPDATE job_endings SET attempts = 2, lease_until = now() + interval '1 hour'`);
    refuse(new AditError('MEDIA_INVALID', 'no'));
    await jobs.endings.idle();
    expect([(await job()).state, await left()]).toEqual(['processing', 1]);
  });

  it('is given up by another process when the first one died of it', async () => {
    const transaction = jobs.outbox.transaction.bind(jobs.outbox);
    jobs.objects.put = () => {
      jobs.outbox.transaction = () => Promise.reject(new AditError('UNAVAILABLE', 'the database is away'));
      return Promise.reject(new AditError('MEDIA_INVALID', 'no'));
    };
    await jobs.jobs.advance(jobId);
    await jobs.endings.idle();
    jobs.objects.put = () => Promise.reject(new AditError('MEDIA_INVALID', 'no'));
    jobs.outbox.transaction = transaction;
    await jobs.db.query(`UPDATE job_endings SET lease_until = now() - interval '1 second'`);
    await jobs.endings.idle();
    expect([(await job()).state, await left()]).toEqual(['completed', 0]);
  });

  it('is repeated where an earlier build left it failed', async () => {
    const { open, begun } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.db.query(`UPDATE job_endings SET state = 'failed', attempts = 3, lease_until = NULL, error_msg = 'no'`);
    open();
    await jobs.endings.idle();
    expect([(await job()).state, await left()]).toEqual(['processing', 1]);
    await jobs.jobs.advanceAll();
    await jobs.endings.idle();
    expect((await job()).state).toBe('completed');
    expect([await jobs.db.manager.countBy(ArtifactEntity, { jobId }), await left()]).toEqual([2, 0]);
  });

  it('is logged in the trace of its request when no message of it ended it, or another process took it over', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    await jobs.db.manager.update(JobEntity, jobId, { traceparent });
    const ended: unknown[] = [];
    const write = (line: string) => void (line.includes('the job ended') && ended.push(JSON.parse(line)));
    configureLogging({ level: 'info', to: { write } });
    try {
      await jobs.jobs.advanceAll();
      await jobs.endings.idle();
      expect(ended).toEqual([expect.objectContaining({ jobId, traceId })]);
      jobId = await analysedJob();
      await jobs.db.manager.update(JobEntity, jobId, { traceparent });
      const { open, begun } = gate();
      await jobs.jobs.advance(jobId);
      await begun;
      await jobs.db.query(`UPDATE job_endings SET attempts = 2, lease_until = now() - interval '1 second'`);
      open();
      await jobs.endings.idle();
      expect(ended.slice(1)).toEqual([expect.objectContaining({ jobId, traceId })]);
    } finally {
      configureLogging({ level: 'silent' });
    }
  });

  it('is cancelled by a retry: files that are being written are not kept', async () => {
    const { open, begun } = gate();
    await jobs.jobs.advance(jobId);
    await begun;
    await jobs.commands.stop(jobs.workspaceId, jobId);
    await jobs.db.query(`UPDATE job_modules SET state = 'failed' WHERE job_id = $1`, [jobId]);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    open();
    await jobs.endings.idle();
    expect((await job()).state).toBe('waiting');
    expect(await jobs.db.manager.countBy(ArtifactEntity, { jobId })).toBe(0);
  });
});

describe('the files of a module', () => {
  let jobs: FoldingJobs;
  let jobId: string;

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    jobs = await FoldingJobs.start([WRITING, countingModule('silent')]);
  });
  afterAll(() => jobs.close());
  beforeEach(async () => {
    jobId = await jobs.submit(['storage://film.mov', 'storage://b.mov']);
    await jobs.plan(jobId, { picturesPerChunk: 1 });
  });

  const analyse = async () => {
    for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
  };
  const files = async () => {
    const rows = await jobs.db.manager.find(ArtifactEntity, { where: { jobId }, order: { filename: 'ASC' } });
    return Promise.all(
      rows
        .filter(({ mimeType }) => mimeType === 'text/plain')
        .map(async ({ filename, objectKey }) => [filename, String(await jobs.objects.read(objectKey))]),
    );
  };

  it('are artifacts of the job, made of its results for each source', async () => {
    await analyse();
    expect(await files()).toEqual([
      ['1.txt', 'film: unit 0'],
      ['2.txt', 'b: unit 1'],
    ]);
  });

  it('exist once, though another process ended the job too, and are replaced when it ends again', async () => {
    const put = jobs.objects.put.bind(jobs.objects);
    let writes = 0;
    jobs.objects.put = async (key, ...args) => {
      if (key.includes('/artifacts/')) writes += 1;
      // The lease runs out during the last file, and another process takes the end over.
      if (writes === 4)
        await jobs.db.query(`UPDATE job_endings SET attempts = 2, lease_until = now() - interval '1 second'`);
      return put(key, ...args);
    };
    await analyse();
    expect([writes, await files()]).toEqual([4, []]);
    await jobs.endings.idle();
    expect(writes).toBe(8);
    jobs.objects.put = put;
    expect(await files()).toHaveLength(2);
    const first = await jobs.db.manager.findBy(ArtifactEntity, { jobId });
    await jobs.db.query(`UPDATE job_modules SET state = 'failed' WHERE job_id = $1 AND module_id = 'silent'`, [jobId]);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    await jobs.plan(jobId, { picturesPerChunk: 1 });
    await analyse();
    expect(await files()).toHaveLength(2);
    const kept = new Set((await jobs.db.manager.findBy(ArtifactEntity, { jobId })).map(({ id }) => id));
    expect(first.filter(({ id }) => kept.has(id))).toEqual([]);
  });

  it('are not written for a module that failed', async () => {
    await jobs.db.query(`UPDATE job_modules SET state = 'failed' WHERE job_id = $1 AND module_id = 'writing'`, [jobId]);
    await analyse();
    expect(await files()).toEqual([]);
    expect(await jobs.db.manager.countBy(ArtifactEntity, { jobId })).toBe(2);
  });
});
