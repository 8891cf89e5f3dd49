/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { LiveStream, LiveStreamPage, StreamPicture } from '@adit/contracts';
import { ApiKeyEntity, WorkspaceEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { BREAK, broke, CAMERA, claimedStream, foundFace, postedStream, readUpTo } from './testing/live-job.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ encryptionKey: 'a key of the specs, long enough to be one' });
}, BOOT_MS);
afterAll(() => gateway?.close());

const one = async (jobId: string) => {
  const answer = await gateway.ask('GET', `/api/v1/jobs/${jobId}/stream/`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return LiveStream.parse(answer.json());
};
const list = async (query = '') =>
  LiveStreamPage.parse((await gateway.ask('GET', `/api/v1/streams/${query}`)).json()).data.map(({ job_id: id }) => id);

describe('a live stream', () => {
  it('waits, is read, is late while nothing arrives, and ends', async () => {
    const { id } = await postedStream(gateway, { tag: 'entrance' });
    expect(await one(id)).toMatchObject({
      ...{ job_id: id, source: CAMERA, source_name: 'live', tag: 'entrance', state: 'waiting', reading: 'waiting' },
      ...{ time_zero: null, lag: null, frames: 0, frame_rate: null, gap_count: 0, last_gap: null, recorded: false },
    });
    const stream = await claimedStream(gateway, id);
    await readUpTo(gateway, stream, { seconds: 61 });
    await broke(gateway, stream, 20);
    const read = await one(id);
    expect(read).toMatchObject({
      ...{ state: 'processing', reading: 'reading', position: 61, frames: 1_525, gap_count: 1, gap_seconds: 11 },
      // Nothing came in 11 of its 61 seconds.
      frame_rate: 30.5,
      last_gap: { number: 1, time_start: 20, time_end: 31, reason: BREAK },
    });
    expect(read.lag).toBeGreaterThanOrEqual(2);
    expect(read.lag).toBeLessThan(30);
    await gateway.db.query(`UPDATE streams SET zero_at = zero_at - interval '5 minutes' WHERE job_id = $1`, [id]);
    expect((await one(id)).lag).toBeGreaterThan(300);
    // Its recorder died: another one has to take it.
    await gateway.db.query(`UPDATE streams SET lease_until = now() - interval '1 second' WHERE job_id = $1`, [id]);
    expect(await one(id)).toMatchObject({ reading: 'waiting' });
    await gateway.ask('POST', `/api/v1/jobs/${id}/stop/`);
    await gateway.db.query(`UPDATE streams SET state = 'completed' WHERE job_id = $1`, [id]);
    expect(await one(id)).toMatchObject({ reading: 'ended', lag: null, position: 61 });
  });

  it('is in the list with those of its workspace, by whether it runs', async () => {
    const [first, second] = [await postedStream(gateway), await postedStream(gateway)];
    await gateway.db.query(`UPDATE jobs SET state = 'completed' WHERE id = $1`, [first.id]);
    const film = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} } };
    const other = (await gateway.ask('POST', '/api/v1/jobs/', film)).json<{ id: string }>();
    expect(await list()).toEqual(expect.arrayContaining([first.id, second.id]));
    expect(await list()).not.toContain(other.id);
    const [active, ended] = [await list('?active=true'), await list('?active=false')];
    expect([active.includes(second.id), active.includes(first.id)]).toEqual([true, false]);
    expect([ended.includes(second.id), ended.includes(first.id)]).toEqual([false, true]);
    expect(await list('?limit=1')).toHaveLength(1);
    expect((await gateway.ask('GET', '/api/v1/streams/?active=perhaps')).status).toBe(400);
    expect((await gateway.ask('GET', `/api/v1/jobs/${other.id}/stream/`)).status).toBe(404);
  });

  it('shows the newest picture in which something was found, until that is gone', async () => {
    const { id } = await postedStream(gateway);
    const picture = () => gateway.ask('GET', `/api/v1/jobs/${id}/stream/picture/`);
    expect((await picture()).status).toBe(404);
    await foundFace(gateway, id, 'Audrey', 50);
    await foundFace(gateway, id, 'Grace', 125);
    const shown = StreamPicture.parse((await picture()).json());
    expect(shown).toMatchObject({ width: 320, height: 180, frame: 125, results_offset: 0 });
    expect(shown.time).toBeCloseTo(4.2);
    expect(Buffer.from(shown.image, 'base64').subarray(0, 2).toString('hex')).toBe('ffd8');
    await gateway.db.query(`UPDATE segments SET key_frame = NULL WHERE job_id = $1`, [id]);
    expect((await picture()).status).toBe(404);
  });

  it('is seen by no other workspace', async () => {
    const { id } = await postedStream(gateway);
    await foundFace(gateway, id, 'Audrey', 50);
    const workspaceId = randomUUID();
    const key = 'adit-key-of-another-workspace';
    const { manager } = gateway.db;
    await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 'x' });
    const hashed = { prefix: 'a key', hash: hashApiKey(key) };
    await manager.insert(ApiKeyEntity, { id: workspaceId, workspaceId, name: 'other', role: 'admin', ...hashed });
    const headers = { authorization: `Key ${key}` };
    const ask = (path: string) => gateway.ask('GET', path, undefined, headers);
    expect((await ask('/api/v1/streams/')).json()).toMatchObject({ total: 0, data: [] });
    for (const path of ['stream', 'stream/picture']) {
      expect((await ask(`/api/v1/jobs/${id}/${path}/`)).status).toBe(404);
    }
  });
});
