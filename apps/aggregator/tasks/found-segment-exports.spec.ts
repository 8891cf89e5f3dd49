import { randomUUID } from 'node:crypto';
import { removeExported } from '@adit/artifacts';
import { MAX_SEARCH_EXPORT, type FoundSegmentsExport, type VideoFacts } from '@adit/contracts';
import {
  ArtifactEntity,
  columns,
  ExportEntity,
  inTransaction,
  JobEntity,
  JobSourceEntity,
  SegmentEntity,
} from '@adit/database';
import { JobCommands } from '@adit/jobs';
import { noteSearchable } from '@adit/search';
import { indexAll } from '@adit/search/testing';
import { filmFacts, unzip } from '@adit/testing';
import { NewTranscripts, TranscriptErasures } from '@adit/transcript-store';
import { describe, expect, it } from '@jest/globals';
import { rate } from '../../../libs/editing/testing/lists.js';
import { READERS } from '../../../libs/editing/testing/read-back.js';
import { insertSpeechJob, workspace } from '../../../libs/transcript-store/testing/speech-job.js';
import {
  database,
  exporting,
  manager,
  newJob,
  objects,
  outbox,
  results,
  useExportWorld,
  workspaceId,
} from '../testing/export-world.js';

useExportWorld();

const pal = rate(25, 1);
const ntsc = { num: 30_000, den: 1001 };

/** A job of a film that shows somebody at each of these frames, to be found by the label. */
async function shown(label: string, frames: number[], facts: Partial<VideoFacts> = {}): Promise<string> {
  const jobId = await newJob(frames.length);
  await manager.update(JobSourceEntity, { jobId }, { name: `${label}.mov`, facts: filmFacts(facts) });
  for (const [seq, frame] of frames.entries()) {
    const place = { frameStart: frame, frameEnd: frame + 9, timeStart: frame / 25, timeEnd: (frame + 9) / 25 };
    await manager.update(SegmentEntity, { jobId, seq }, { ...place, label, meta: { person: label } });
  }
  await index(jobId);
  return jobId;
}

async function index(jobId: string): Promise<void> {
  await noteSearchable(manager, [jobId]);
  await indexAll(database.dataSource, results.registry);
}

async function asked(
  search: FoundSegmentsExport['search'],
  format: FoundSegmentsExport['format'],
  of: string = workspaceId,
): Promise<string> {
  const id = randomUUID();
  const row = { id, workspaceId: of, strategy: 'segments_export' as const, config: { search, format } };
  await manager.insert(ExportEntity, columns<ExportEntity>(row));
  return id;
}

/** Has it written; answers the row, and the file if there is one. */
async function written(id: string): Promise<{ row: ExportEntity; name: string; bytes: Buffer }> {
  await exporting.idle();
  const row = await manager.findOneByOrFail(ExportEntity, { id });
  const file = await manager.findOneBy(ArtifactEntity, { exportId: id });
  return {
    row,
    name: file?.filename ?? '',
    bytes: file === null ? Buffer.alloc(0) : await objects.read(file.objectKey),
  };
}

const areLeft = async (id: string) => [
  await manager.countBy(ExportEntity, { id }),
  await manager.countBy(ArtifactEntity, { exportId: id }),
];

describe('an export of what a search found', () => {
  it('holds the results of several jobs in one list, the oldest job first, as readers of the format see them', async () => {
    const jobs = [await shown('Wilma Kestrel', [300, 20]), await shown('Wilma Kestrel', [50])];
    await shown('Somebody Else', [70]);
    for (const format of ['edl', 'otio', 'fcpxml', 'fcp7xml', 'ale'] as const) {
      const { row, name, bytes } = await written(await asked({ who: 'wilma' }, format));
      expect([format, row.state, row.errorMsg]).toEqual([format, 'completed', null]);
      expect(name).toBe(`search-${row.id}.${format === 'fcp7xml' ? 'xml' : format}`);
      expect(row.foundIn?.toSorted()).toEqual(jobs.toSorted());
      const read = READERS[format](String(bytes), pal);
      expect([format, read.map(({ start, end }) => [start, end])]).toEqual([
        format,
        [
          [20, 30],
          [300, 310],
          [50, 60],
        ],
      ]);
    }
    const { bytes } = await written(await asked({ who: 'wilma' }, 'csv'));
    const lines = String(bytes).trim().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 4).join())).toEqual([
      'Wilma Kestrel.mov,WILMA_KE,00:00:00:20,00:00:01:05',
      'Wilma Kestrel.mov,WILMA_KE,00:00:12:00,00:00:12:10',
      'Wilma Kestrel.mov,WILMA_2,00:00:02:00,00:00:02:10',
    ]);
  });

  it('has a file for each source, or each rate, where the format holds no more, and a list of these', async () => {
    const [first, second] = [await shown('Otto Merlin', [5]), await shown('Otto Merlin', [7], { fps: ntsc })];
    const markers = await written(await asked({ who: 'merlin' }, 'vtt'));
    const byFilm = await unzip(markers.bytes);
    expect([markers.name, ...byFilm.keys()]).toEqual([
      `search-${markers.row.id}.zip`,
      ...['files.csv', '00001-Otto-Merlin.vtt', '00002-Otto-Merlin.vtt'],
    ]);
    expect(String(byFilm.get('files.csv')).trim().split('\r\n').slice(1)).toEqual([
      `00001-Otto-Merlin.vtt,Otto Merlin.mov,${first},0,storage://film`,
      `00002-Otto-Merlin.vtt,Otto Merlin.mov,${second},0,storage://film`,
    ]);
    const byRate = await unzip((await written(await asked({ who: 'merlin' }, 'edl'))).bytes);
    expect([...byRate.keys()]).toEqual(['files.csv', '25.edl', '29.97-drop-frame.edl']);
    expect(READERS.edl(String(byRate.get('29.97-drop-frame.edl')), rate(30_000, 1001, true))).toMatchObject([
      { start: 7, end: 17 },
    ]);
    expect((await written(await asked({ who: 'merlin' }, 'otio'))).name).toMatch(/\.otio$/);
  });

  it('fails with a reason where nothing is found, or nothing that can be cut', async () => {
    const message = 'The search finds nothing in films and recordings.';
    expect((await written(await asked({ who: 'nobodyatall' }, 'csv'))).row).toMatchObject({
      state: 'failed',
      errorMsg: message,
    });
    const jobId = await shown('Picture Perfect', [1]);
    await manager.update(JobSourceEntity, { jobId }, { facts: { kind: 'image' } as never });
    expect((await written(await asked({ who: 'perfect' }, 'csv'))).row).toMatchObject({
      state: 'failed',
      errorMsg: message,
    });
  });

  it('fails with its bounds where more is found, before anything is written', async () => {
    const documents = (tag: string, jobs: readonly string[], each: number) =>
      manager.query(
        `INSERT INTO search_documents (workspace_id, job_id, source_index, seq, round, module_id, type, field, time_start, time_end, moment,
           time_created, tag, length, words)
         SELECT $1, job, 0, n, 0, 'm', 'face', 'who', n, n, now(), now() - interval '1 hour', $2, 1, ''
           FROM unnest($3::uuid[]) job, generate_series(1, $4::int) n`,
        [workspaceId, tag, jobs, each],
      );
    const many = Array.from({ length: MAX_SEARCH_EXPORT.jobs + 1 }, () => randomUUID());
    const usual = {
      workspaceId,
      tag: '',
      state: 'completed' as const,
      priority: 5,
      rank: 4,
      mediaType: 'video' as const,
    };
    await manager.insert(
      JobEntity,
      many.map((id) => ({ id, ...usual })),
    );
    await documents('many jobs', many, 1);
    expect((await written(await asked({ tag: 'many jobs' }, 'csv'))).row.errorMsg).toMatch(/more than the 1000 jobs/);
    await documents('one job', many.slice(0, 1), MAX_SEARCH_EXPORT.segments + 1);
    const { row } = await written(await asked({ tag: 'one job' }, 'csv'));
    expect([row.state, row.attempts, row.foundIn]).toEqual(['failed', 1, null]);
    expect(row.errorMsg).toMatch(/more than the 10000 results .* Narrow it down/);
  });

  it('is the same when it is tried again: jobs that were made since are not in it', async () => {
    await shown('Nora Swift', [5]);
    const id = await asked({ who: 'swift' }, 'edl');
    await shown('Nora Swift', [9]);
    expect(READERS.edl(String((await written(id)).bytes), pal)).toMatchObject([{ start: 5 }]);
  });

  /** @hardening privacy: An export over several jobs outlives one of them */
  it('goes with the second of its jobs', async () => {
    const [, second] = [await shown('Piet Linnet', [5]), await shown('Piet Linnet', [9])];
    const id = await asked({ who: 'linnet' }, 'edl');
    const { bytes } = await written(id);
    expect(READERS.edl(String(bytes), pal)).toHaveLength(2);
    const { objectKey } = await manager.findOneByOrFail(ArtifactEntity, { exportId: id });
    const commands = new JobCommands(outbox, objects);
    await commands.delete(workspaceId, second);
    expect([await areLeft(id), await objects.stat(objectKey)]).toEqual([[0, 0], null]);
    // What is left is exported without it.
    const again = await asked({ who: 'linnet' }, 'edl');
    expect(READERS.edl(String((await written(again)).bytes), pal)).toHaveLength(1);
  });

  /** @hardening privacy: An export over several jobs keeps a person who was erased from one */
  it('loses its file when somebody is erased from one of its jobs, and begins anew while it is written', async () => {
    const [, second] = [await shown('Ida Plover', [5]), await shown('Ida Plover', [9])];
    const [done, running, waiting] = [
      await asked({ who: 'plover' }, 'edl'),
      await asked({ who: 'x' }, 'edl'),
      await asked({ who: 'y' }, 'edl'),
    ];
    await manager.update(
      ExportEntity,
      { id: running },
      { state: 'processing', attempts: 1, leaseUntil: new Date(Date.now() + 60_000) },
    );
    await manager.update(ExportEntity, { id: waiting }, { state: 'failed' });
    const { objectKey } = await (await written(done), manager.findOneByOrFail(ArtifactEntity, { exportId: done }));
    const keys = await inTransaction(database.dataSource, (each) => removeExported(each, 'job_id', [second]));
    expect([keys, await areLeft(done)]).toEqual([[objectKey], [1, 0]]);
    // It had not noted its jobs yet: they may be this one.
    expect(await manager.findOneByOrFail(ExportEntity, { id: running })).toMatchObject({
      attempts: 1,
      fencingToken: 1,
    });
    expect(await manager.findOneByOrFail(ExportEntity, { id: waiting })).toMatchObject({
      state: 'failed',
      fencingToken: 0,
    });
  });

  it('has what newest versions of transcripts say, and goes with them', async () => {
    const own = await workspace(manager);
    const jobId = await insertSpeechJob(manager, own, [{ text: 'Der Pirol singt.', start: 2, end: 4 }]);
    await manager.update(JobSourceEntity, { jobId }, { facts: filmFacts() });
    const bounds = { mostBytes: 1_000_000, workspaceBytes: 1_000_000, storageBytes: 0 };
    const transcript = { id: randomUUID(), author: 'spec', most: 10, ...bounds };
    await new NewTranscripts(outbox).create(own, { job_id: jobId }, transcript);
    await index(jobId);
    const id = await asked({ said: 'pirol' }, 'csv', own);
    const { row, bytes } = await written(id);
    expect([row.errorMsg, row.foundIn?.length]).toEqual([null, 2]);
    expect(String(bytes)).toContain('00:00:02:00,00:00:04:00,50,25,speech_recognition,speech,,Der Pirol singt.,');
    await new TranscriptErasures(database.dataSource).delete(own, transcript.id);
    expect(await areLeft(id)).toEqual([0, 0]);
    expect(await manager.countBy(JobEntity, { id: jobId })).toBe(1);
  });
});
