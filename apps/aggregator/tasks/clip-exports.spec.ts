/** @needs servers */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { failClip, completeClip } from '@adit/artifacts';
import { MAX_CLIPS_EXPORT } from '@adit/contracts';
import { ArtifactEntity, ClipEntity, columns, ExportEntity, JobSourceEntity, WorkspaceEntity } from '@adit/database';
import { CLIPS } from '@adit/leases';
import { filmFacts, unzip } from '@adit/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Like } from 'typeorm';
import {
  borders,
  database,
  exporting,
  manager,
  newJob,
  objects,
  outbox,
  results,
  workspaceId,
} from '../testing/export-world.js';
import { useExportWorld } from '../testing/export-world.js';
import { Exports } from './exports.js';

useExportWorld();

beforeEach(async () => {
  await manager.query('DELETE FROM clips');
  await manager.upsert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' }, ['id']);
});

async function filmJob(segments: number): Promise<string> {
  const jobId = await newJob(segments);
  const film = columns<JobSourceEntity>({ facts: filmFacts(), mediaDigest: 'a'.repeat(64), name: 'film.mp4' });
  await manager.update(JobSourceEntity, { jobId }, film);
  return jobId;
}

async function newExport(jobId: string, config: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID();
  const row = { id, workspaceId, strategy: 'clips_export' as const, config: { job_id: jobId, ...config }, jobId };
  await manager.insert(ExportEntity, row);
  return id;
}

const exportOf = (id: string): Promise<ExportEntity> => manager.findOneByOrFail(ExportEntity, { id });

/** Lets the export look at its clips again at once. */
async function again(id: string, by: Exports = exporting): Promise<ExportEntity> {
  await manager.update(ExportEntity, { id }, { leaseUntil: new Date(0) });
  await by.idle();
  return exportOf(id);
}

const waiting = (jobId: string): Promise<ClipEntity[]> =>
  manager.find(ClipEntity, { where: { jobId, state: 'waiting' }, order: { timeCreated: 'ASC' } });

/** Ends a clip as a decoder does. */
async function cut(clip: ClipEntity, bytes: string | null): Promise<void> {
  await manager.update(ClipEntity, { id: clip.id }, { state: 'processing', attempts: 1 });
  const held = { rows: CLIPS, key: { id: clip.id }, attempt: 1, token: 0 };
  if (bytes === null) return failClip(manager, held, { code: 'MEDIA_INVALID', message: 'No frame can be decoded.' });
  const objectKey = `jobs/${clip.jobId}/clips/${clip.id}/1`;
  await objects.put(objectKey, Buffer.from(bytes));
  await completeClip(manager, held, { objectKey, mimeType: 'video/mp4', size: bytes.length });
}

async function archiveOf(id: string): Promise<Map<string, Buffer>> {
  const { objectKey } = await manager.findOneByOrFail(ArtifactEntity, { exportId: id });
  return unzip(await buffer(await objects.get(objectKey)));
}

describe('an export of clips', () => {
  it('asks decoders for some at a time, waits without keeping others waiting, and lists what could not be cut', async () => {
    const jobId = await filmJob(25);
    const id = await newExport(jobId);
    expect(await again(id)).toMatchObject({ state: 'processing', attempts: 0 });
    const first = await waiting(jobId);
    expect(first).toHaveLength(20);
    await again(id);
    expect(await waiting(jobId)).toHaveLength(20);
    for (const [at, clip] of first.entries()) await cut(clip, at === 3 ? null : `clip ${at}`);
    // A failure is forgotten before the last clip is there.
    expect((await again(id)).progress).toBeCloseTo(20 / 26);
    await manager.query(`UPDATE clips SET time_expires = now() WHERE state = 'failed'`);
    const rest = await waiting(jobId);
    expect(rest).toHaveLength(5);
    for (const clip of rest) await cut(clip, 'rest');
    expect(await again(id)).toMatchObject({ state: 'completed', progress: 1 });
    const files = await archiveOf(id);
    expect([...files.keys()].filter((name) => name.startsWith('clips/'))).toHaveLength(24);
    const { clips } = JSON.parse(files.get('clips.json')?.toString() ?? '') as { clips: Record<string, unknown>[] };
    expect(clips).toHaveLength(25);
    expect(clips[0]).toMatchObject({
      file: 'clips/000000-Person-0.mp4',
      segment: 0,
      source_name: 'film.mp4',
      bytes: 6,
    });
    expect(files.get('clips/000000-Person-0.mp4')?.toString()).toBe('clip 0');
    expect(clips.filter(({ file }) => file === null)).toEqual([
      expect.objectContaining({ segment: 3, error: 'No frame can be decoded.' }),
    ]);
    expect(files.get('clips.csv')?.toString().split('\r\n')[0]).toContain('file,segment,source');
    const started: unknown[] = await manager.query(
      `SELECT 1 FROM workspace_events WHERE event LIKE '%export.on_started'`,
    );
    expect(started.length).toBeLessThanOrEqual(1);
  });

  /** @hardening overload: An archive has the same clip hundreds of times, beyond what an archive may have */
  it('has a file once that several segments share', async () => {
    const jobId = await filmJob(3);
    await manager.query(
      `UPDATE segments SET frame_start = 0, frame_end = 1, time_start = 0, time_end = 0.04 WHERE job_id = $1 AND seq < 2`,
      [jobId],
    );
    const id = await newExport(jobId);
    await again(id);
    const asked = await waiting(jobId);
    expect(asked).toHaveLength(2);
    for (const clip of asked) await cut(clip, 'a');
    expect(await again(id)).toMatchObject({ state: 'completed' });
    const files = await archiveOf(id);
    const names = [...files.keys()].filter((name) => name.startsWith('clips/'));
    expect(names).toHaveLength(2);
    const { clips } = JSON.parse(files.get('clips.json')?.toString() ?? '') as { clips: { file: string }[] };
    const [first, second, third] = clips.map(({ file }) => file);
    expect(second).toBe(first);
    expect(names).toEqual([first, third]);
  });

  /** @hardening overload: Exports of clips keep a workspace from single clips, and from each other */
  it('leaves room for single clips, and lets go soon of what was cut for it', async () => {
    const jobId = await filmJob(8);
    const cutOf = (at: number) => ({
      ...{ source: 0, mediaDigest: null, frames: null, timeStart: at, timeEnd: at + 1, handles: 0, exact: false },
    });
    const others = Array.from({ length: 55 }, (_, at) =>
      columns<ClipEntity>({ id: randomUUID(), workspaceId, jobId, digest: `other ${at}`, cut: cutOf(at) }),
    );
    await manager.insert(ClipEntity, others);
    const id = await newExport(jobId);
    await again(id);
    expect(await waiting(jobId)).toHaveLength(60);
    await again(id);
    expect(await waiting(jobId)).toHaveLength(60);
    await manager.delete(ClipEntity, { jobId, digest: Like('other %') });
    // One of them was there before the export.
    const [before, ...asked] = await waiting(jobId);
    expect(asked).toHaveLength(4);
    await again(id);
    for (const clip of await waiting(jobId)) await cut(clip, 'a');
    await manager.query(`UPDATE clips SET time_created = now() - interval '1 hour' WHERE id = $1`, [before?.id]);
    expect(await again(id)).toMatchObject({ state: 'completed' });
    const kept = await manager.findBy(ClipEntity, { jobId });
    expect(kept).toHaveLength(8);
    const hours = new Map(kept.map(({ id, timeExpires }) => [id, (Number(timeExpires) - Date.now()) / 3_600_000]));
    expect(hours.get(before?.id ?? '')).toBeGreaterThan(5);
    hours.delete(before?.id ?? '');
    expect(Math.max(...hours.values())).toBeLessThan(0.3);
  });

  it('looks at its clips less often the longer it waits', async () => {
    const id = await newExport(await filmJob(1));
    await again(id);
    await manager.query(`UPDATE exports SET time_created = now() - interval '1 hour' WHERE id = $1`, [id]);
    const before = Date.now();
    const { leaseUntil } = await again(id);
    expect(Number(leaseUntil) - before).toBeGreaterThan(15_000);
  });

  it('is gone on with by another process, without a clip cut twice', async () => {
    const jobId = await filmJob(3);
    const id = await newExport(jobId, { labels: ['Person, 0', 'Person, 2'] });
    await again(id);
    const asked = await waiting(jobId);
    expect(asked).toHaveLength(2);
    for (const clip of asked) await cut(clip, 'a');
    const other = new Exports(database.dataSource, outbox, objects, results, borders);
    try {
      expect(await again(id, other)).toMatchObject({ state: 'completed' });
    } finally {
      await other.onApplicationShutdown();
    }
    expect(await manager.countBy(ClipEntity, { jobId })).toBe(2);
    expect([...(await archiveOf(id)).keys()]).toEqual([
      'clips.csv',
      'clips.json',
      'clips/000000-Person-0.mp4',
      'clips/000002-Person-2.mp4',
    ]);
  });

  it('is refused beyond what an archive holds, and after a day', async () => {
    const many = await newExport(await filmJob(MAX_CLIPS_EXPORT.clips + 1));
    expect(await again(many)).toMatchObject({ state: 'failed', errorMsg: expect.stringMatching(/501 segments.*500/) });
    const jobId = await filmJob(1);
    const large = await newExport(jobId);
    await again(large);
    for (const clip of await waiting(jobId)) await cut(clip, 'a');
    await manager.update(ClipEntity, { jobId }, { size: String(MAX_CLIPS_EXPORT.bytes + 1) });
    expect(await again(large)).toMatchObject({ state: 'failed', errorMsg: expect.stringMatching(/more than 20 GiB/) });
    const slow = await newExport(await filmJob(1));
    await again(slow);
    await manager.query(`UPDATE exports SET time_created = now() - interval '25 hours' WHERE id = $1`, [slow]);
    expect(await again(slow)).toMatchObject({ state: 'failed', errorMsg: expect.stringMatching(/within a day/) });
  });

  it('lists segments without a clip', async () => {
    const jobId = await filmJob(1);
    await manager.query('UPDATE segments SET time_end = 4000 WHERE job_id = $1', [jobId]);
    const id = await newExport(jobId);
    expect(await again(id)).toMatchObject({ state: 'completed' });
    const files = await archiveOf(id);
    expect([...files.keys()]).toEqual(['clips.csv', 'clips.json']);
    expect(files.get('clips.csv')?.toString()).toContain('at most 3600 s are cut');
  });

  /** @hardening privacy: Clips of an erased person are in an archive that was being made */
  it('leaves out what was erased meanwhile', async () => {
    const jobId = await filmJob(2);
    const id = await newExport(jobId);
    await again(id);
    for (const clip of await waiting(jobId)) await cut(clip, 'a');
    await manager.query('DELETE FROM segments WHERE job_id = $1 AND seq = 1', [jobId]);
    await manager.query('DELETE FROM clips WHERE job_id = $1', [jobId]);
    expect(await again(id)).toMatchObject({ state: 'processing' });
    for (const clip of await waiting(jobId)) await cut(clip, 'b');
    expect(await again(id)).toMatchObject({ state: 'completed' });
    expect([...(await archiveOf(id)).keys()]).toEqual(['clips.csv', 'clips.json', 'clips/000000-Person-0.mp4']);
  });
});
