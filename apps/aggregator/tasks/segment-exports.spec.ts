import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { SEGMENT_FORMATS, type VideoFacts } from '@adit/contracts';
import { columns, JobEntity, JobSourceEntity, openDatabase, SegmentEntity, type Database } from '@adit/database';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore } from '@adit/objects';
import { filmFacts, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JobResults } from '../endings/job-results.js';
import { SegmentExports } from './segment-exports.js';

const ntsc = { num: 30_000, den: 1001 };
let folder: string;
let own: SpecDatabase;
let database: Database;
let exports: SegmentExports;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-segments-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  const objects = await FilesystemObjectStore.open(folder);
  exports = new SegmentExports(database.dataSource, new JobResults(database.dataSource, objects, await loadModules()));
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Found {
  source?: number;
  module?: string;
  /** Frames, the last inclusive. */
  frames: [number, number];
  label: string;
  meta?: Record<string, unknown>;
  identityNumber?: number;
}

async function newJob(films: Partial<VideoFacts>[], found: Found[], uris: string[] = []): Promise<string> {
  const { manager } = database.dataSource;
  const jobId = randomUUID();
  const states = { state: 'completed' as const, mediaType: 'video' as const, priority: 5, rank: 4, tag: '' };
  await manager.insert(JobEntity, { id: jobId, workspaceId: randomUUID(), ...states });
  for (const [index, facts] of films.entries()) {
    const source = {
      jobId,
      index,
      uri: uris[index] ?? `/films/film ${index}.mov`,
      state: 'planned' as const,
      facts: filmFacts(facts),
    };
    await manager.insert(JobSourceEntity, columns<JobSourceEntity>(source));
  }
  const rows = found.map(
    ({ source = 0, module = 'face_recognition', frames: [frameStart, frameEnd], ...more }, seq) => {
      const { label, meta = {}, identityNumber = null } = more;
      const times = { timeStart: frameStart / 25, timeEnd: frameEnd / 25 };
      const ids = { jobId, seq, moduleId: module, moduleSeq: seq, sourceIndex: source };
      const rest = { type: 'face', confidence: 0.5, detections: [], thumbnail: null, keyFrame: null };
      return columns<SegmentEntity>({ ...ids, frameStart, frameEnd, ...times, label, meta, identityNumber, ...rest });
    },
  );
  for (let at = 0; at < rows.length; at += 100) await manager.insert(SegmentEntity, rows.slice(at, at + 100));
  return jobId;
}

async function written(config: Record<string, unknown>): Promise<{ content: string; shares: number[] }> {
  const shares: number[] = [];
  const { content } = await exports.file({ config }, async (share) => void shares.push(share));
  return { content: await text(content), shares };
}

const EVENT = /^(\d{3,})  (\S+) +\S+ +C +(\S+) (\S+)/;
const cutsOf = (content: string): string[] =>
  content.split('\n').flatMap((line) => {
    const [, , reel, start, end] = EVENT.exec(line) ?? [];
    return reel === undefined ? [] : [`${reel} ${start} ${end}`];
  });

describe('an export of segments', () => {
  it('orders them by their sources and times, out-points after the last frame', async () => {
    const job_id = await newJob(
      [{ startTimecode: '10:00:00:00' }, {}],
      [
        { source: 1, frames: [3, 3], label: 'Ben' },
        { frames: [50, 99], label: 'Ada' },
        { frames: [0, 9], label: 'Ada' },
      ],
    );
    const { content } = await written({ job_id, format: 'edl' });
    expect(cutsOf(content)).toEqual([
      'FILM_0 10:00:00:00 10:00:00:10',
      'FILM_0 10:00:02:00 10:00:04:00',
      'FILM_1 00:00:00:03 00:00:00:04',
    ]);
    const handled = await written({ job_id, format: 'edl', handles: 5, source: 0 });
    expect(cutsOf(handled.content)).toEqual(['FILM_0 10:00:00:00 10:00:00:15', 'FILM_0 10:00:01:20 10:00:04:05']);
  });

  it('applies its filters together', async () => {
    const job_id = await newJob(
      [{}],
      [
        { frames: [0, 24], label: 'Ada', meta: { person: 'Ada' } },
        { frames: [25, 49], label: 'x', identityNumber: 3, meta: { person: 'x' } },
        { frames: [50, 74], label: 'de', module: 'speech_recognition', meta: { text: 'Guten Abend', speaker: 'Ben' } },
        { frames: [500, 524], label: 'Ada', meta: { person: 'Ada' } },
      ],
    );
    const names = async (filter: Record<string, unknown>): Promise<string[]> => {
      const { content } = await written({ job_id, format: 'avid_markers', ...filter });
      return content.split('\n').flatMap((line) => (line === '' ? [] : (line.split('\t')[0] ?? [])));
    };
    expect(await names({})).toEqual(['Ada', 'Unknown #3', 'Ben', 'Ada']);
    expect(await names({ labels: ['ada', 'unknown #'] })).toEqual(['Ada', 'Unknown #3', 'Ada']);
    expect(await names({ labels: ['abend'] })).toEqual(['Ben']);
    expect(await names({ modules: ['speech_recognition', 'nothing'] })).toEqual(['Ben']);
    expect(await names({ modules: [] })).toEqual([]);
    expect(await names({ labels: ['Ada'], time_start: 10 })).toEqual(['Ada']);
    expect(await names({ time_end: 0.5 })).toEqual(['Ada']);
    const log = await written({ job_id, format: 'csv', labels: ['abend'] });
    expect(log.content.trim().split('\r\n').at(-1)).toBe(
      'film 0.mov,FILM_0,00:00:02:00,00:00:03:00,25,25,speech_recognition,Ben,Ben,Guten Abend,/films/film 0.mov',
    );
  });

  it.each([
    ['edl', [{}, { fps: ntsc }], /one frame rate \(film 0\.mov at 25, film 1\.mov at 29\.97 drop-frame\)/],
    ['vtt', [{}, {}], /has 2 sources, and this format is of one: name its index as "source"/],
  ])('says what %s cannot hold', async (format, films, message) => {
    const job_id = await newJob(films, []);
    await expect(written({ job_id, format })).rejects.toThrow(message);
    expect((await written({ job_id, format, source: 1 })).content).not.toBe('');
    expect((await written({ job_id, format: 'otio' })).content).toContain('"Timeline.1"');
    await expect(written({ job_id, format, source: 9 })).rejects.toThrow('The job has no source 9.');
  });

  it('has subtitles where words are said, in timecode of the film', async () => {
    const word = (said: string, from: number): object => ({
      ...{ text: said, time_start: from, time_end: from + 0.4, confidence: 1 },
    });
    const words = [word('Guten', 2.2), word('Abend.', 8)];
    const found: Found[] = [
      { frames: [0, 24], label: 'Ada' },
      { frames: [50, 249], label: 'de', module: 'speech_recognition', meta: { text: 'Guten Abend.', words } },
      { frames: [250, 274], label: 'de', module: 'speech_recognition', meta: { text: 'Ja.', words: 'none' } },
    ];
    const job_id = await newJob([{ startTimecode: '10:00:00:00' }], found);
    const { content } = await exports.file({ config: { job_id, format: 'stl' } }, async () => undefined);
    const file = await buffer(content);
    expect(file.toString('latin1', 256, 272)).toBe('1000000010000205');
    const starts = [1024, 1152, 1280].map((at) => [...file.subarray(at + 5, at + 9)]);
    expect(starts).toEqual([
      [10, 0, 2, 5],
      [10, 0, 8, 0],
      [10, 0, 10, 0],
    ]);
    expect(file).toHaveLength(1024 + 3 * 128);
  });

  it('shows its progress, once for all of its passes', async () => {
    const found = Array.from({ length: 450 }, (_, at): Found => ({ frames: [at, at], label: 'Ada' }));
    const job_id = await newJob([{}], found);
    const { content, shares } = await written({ job_id, format: 'fcp7xml' });
    expect(content.match(/<clipitem /g)).toHaveLength(450);
    expect(shares.map((share) => Math.round(share * 900))).toEqual([200, 400, 450, 650, 850, 900]);
  });

  it('shows the address of a film without what may be a key to it', async () => {
    const uris = [
      'https://somebody:S3CRET@films.example.org/a%20b.mov?X-Signature=S3CRET#t=S3CRET',
      'storage://x6BfU3o0gkq2mZr9TtYw',
    ];
    const found = uris.map((_, source): Found => ({ source, frames: [0, 9], label: 'Ada' }));
    const job_id = await newJob([{}, {}], found, uris);
    for (const format of SEGMENT_FORMATS) {
      for (const source of [0, 1]) {
        const { content } = await written({ job_id, format, source });
        expect([format, content]).toEqual([format, expect.not.stringContaining('S3CRET')]);
        if (!['avid_markers', 'resolve_edl', 'stl', 'vtt'].includes(format)) {
          expect(content).toContain(['https://films.example.org/a%20b.mov', uris[1]][source]);
        }
      }
    }
  });

  it('reads the numbers of segments by pages: one array of a million would block the process', async () => {
    const found = Array.from({ length: 450 }, (_, at): Found => ({ frames: [at, at], label: 'Ada' }));
    const job_id = await newJob([{}], found);
    const query = jest.spyOn(database.dataSource, 'query');
    await written({ job_id, format: 'vtt' });
    const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<{ seqs: number[] }[]>));
    query.mockRestore();
    expect(answers.flat().map(({ seqs }) => seqs.length)).toEqual([200, 200, 50]);
  });
});

describe('a job that names the master of its source', () => {
  it('has its cuts in the timecode, the reel and the file of the master', async () => {
    const jobId = await newJob([{ fps: ntsc, totalFrames: 100_000 }], [{ frames: [10, 19], label: 'Ada' }]);
    const conform = {
      ...{ start_timecode: '10:00:00;00', timecode_rate: 29.97, reel: 'A001C003_261130' },
      master: 'https://user:secret@example.org/rushes/A001.mxf?key=secret',
    };
    await database.dataSource.manager.update(JobEntity, { id: jobId }, { conform });
    const edl = (await written({ job_id: jobId, format: 'edl' })).content;
    expect(edl).toContain('001  A001C003 ');
    expect(edl).toContain('10:00:00;10 10:00:00;20');
    expect(edl).toContain('* REEL: A001C003 IS A001C003_261130\n');
    expect(edl).toContain('* FROM CLIP NAME: A001.mxf\n* SOURCE FILE: https://example.org/rushes/A001.mxf\n');
    const ale = (await written({ job_id: jobId, format: 'ale' })).content;
    expect(ale).toContain('\tA001C003_261130\tA001.mxf\thttps://example.org/rushes/A001.mxf\t');
    const umid = `060a2b340101010501010d4313000000${'01'.repeat(16)}`;
    await database.dataSource.manager.update(JobEntity, { id: jobId }, { conform: { master: umid } });
    const otio = (await written({ job_id: jobId, format: 'otio' })).content;
    expect(otio).toContain('"target_url":"urn:smpte:umid:060a2b34.01010105.');
    expect(otio).toContain('"name":"film 0.mov"');
  });

  it('a timecode that does not exist at the rate of the film fails the export', async () => {
    const jobId = await newJob([{ totalFrames: 100_000 }], [{ frames: [10, 19], label: 'Ada' }]);
    await database.dataSource.manager.update(JobEntity, { id: jobId }, { conform: { start_timecode: '10:00:00;00' } });
    await expect(written({ job_id: jobId, format: 'edl' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
