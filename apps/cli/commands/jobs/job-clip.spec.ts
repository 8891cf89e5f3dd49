/** @needs ffmpeg, weights, build */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditClient } from '@adit/client';
import { columns, DATABASE, SegmentEntity, type Database } from '@adit/database';
import { startEngine } from '@adit/standalone';
import { numberedFilm, playedNumbers, transcode, unzip } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { search } from '../search/search.js';
import { clipJob } from './job-clip.js';
import { clipsOfJob } from './job-clips.js';

const apiKey = 'an-owner-of-the-specs';
const FILM = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 12 }), '-f', 'lavfi', '-i', 'sine=d=12'];
const ENCODED = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', '-c:a', 'aac'];
let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
let adit: AditClient;
let film: string;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-clip-'));
  film = await transcode('clip-job.mp4', [...FILM, ...ENCODED]);
  const localRoots = [dirname(film)];
  engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots, quiet: true, apiKey });
  adit = new AditClient({ url: engine.url, apiKey });
  process.env['ADIT_API_KEY'] = apiKey;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said += String(text)), true));
}, 300_000);
afterAll(async () => {
  jest.restoreAllMocks();
  delete process.env['ADIT_API_KEY'];
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('adit jobs clip, and clips', () => {
  it('writes the frames of a segment, from the keyframe before or exactly', async () => {
    const { id } = await adit.jobs.run({ sources: [film], modules: { face_recognition: {} } });
    // A film of numbers shows nobody.
    const { manager } = engine.app.get<Database>(DATABASE, { strict: false }).dataSource;
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        ...{ jobId: id, seq: 0, moduleId: 'face_recognition', moduleSeq: 0, sourceIndex: 0, type: 'face' },
        ...{ frameStart: 110, frameEnd: 130, timeStart: 4.4, timeEnd: 5.2, label: 'Ada', confidence: 0.9 },
        ...{ meta: {}, detections: [], thumbnail: null, keyFrame: null },
        ...{ identityCollection: null, identityNumber: null },
      }),
    );
    const out = join(dataDir, 'ada.mp4');
    await clipJob(id, 0, { server: engine.url, out, exact: true, handles: 1 });
    expect(said).toBe(`${out}\n`);
    expect(await playedNumbers(out, 0)).toEqual(Array.from({ length: 71 }, (_, at) => 85 + at));
    const made = await readFile(out);
    await clipJob(id, 0, { server: engine.url, out, exact: true, handles: 1, json: true });
    expect(await readFile(out)).toEqual(made);
    await clipJob(id, 0, { server: engine.url, out });
    const copied = await playedNumbers(out, 0);
    expect(copied[0]).toBeLessThanOrEqual(110);
    expect(copied).toEqual(expect.arrayContaining([110, 130]));
    expect(copied.length).toBeLessThan(75);
    await expect(clipJob(id, 1, { server: engine.url, out })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const zip = join(dataDir, 'ada.zip');
    await clipsOfJob(id, { server: engine.url, out: zip, exact: true, label: ['Ada'] });
    const files = await unzip(await readFile(zip));
    expect([...files.keys()]).toEqual(['clips.csv', 'clips.json', 'clips/000000-Ada.mp4']);
    await writeFile(out, files.get('clips/000000-Ada.mp4') ?? '');
    expect(await playedNumbers(out, 0)).toEqual(Array.from({ length: 21 }, (_, at) => 110 + at));
  }, 120_000);

  it('what a search finds is exported by the same words', async () => {
    // As whoever folds results notes that there are more.
    const { manager } = engine.app.get<Database>(DATABASE, { strict: false }).dataSource;
    await manager.query(
      `INSERT INTO search_feed (id, workspace_id) SELECT id, workspace_id FROM jobs
       ON CONFLICT (id) DO UPDATE SET state = 'waiting', changes = search_feed.changes + 1, next_seq = 0`,
    );
    while ((await adit.search({ who: 'ada' }).next()).done === true) await sleep(100);
    const edl = join(dataDir, 'ada.edl');
    await search('who:ada', { server: engine.url, limit: 20, export: 'edl', out: edl, handles: 1 });
    expect(await readFile(edl, 'utf8')).toMatch(/00:00:04:09 00:00:05:07 01:00:00:00 01:00:00:23\n/);
  }, 120_000);
});
