/** @needs weights, build */
import type { Job } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
}, BOOT_MS);
afterAll(() => gateway?.close());

const SOURCE = 'https://example.org/proxy.mp4';
const UMID = `060a2b340101010501010d4313000000${'0123456789abcdef'.repeat(2)}`;
const post = (more: object, sources = [SOURCE]) =>
  gateway.ask('POST', '/api/v1/jobs/', { sources, modules: { face_recognition: {} }, ...more });

describe('the master of a job', () => {
  it.each([
    { start_timecode: '10:00:00:00', timecode_rate: 25, reel: 'A001C003_261130_R1AB', master: 's3://rushes/A001.mxf' },
    { start_timecode: '23:59:59;29', timecode_rate: 29.97 },
    { start_timecode: '00:00:00:00' },
    { reel: 'TAPE 7' },
    { master: UMID },
    { master: `0x${UMID}${UMID}` },
    { master: 'file:///Volumes/rushes/A%20001.mov' },
  ])('%j is kept with it and shown', async (master) => {
    const answer = await post(master);
    expect([answer.status, answer.json()]).toEqual([200, expect.objectContaining(master)]);
    const { id } = answer.json<Job>();
    expect((await gateway.ask('GET', `/api/v1/jobs/${id}/`)).json()).toMatchObject(master);
  });

  it('a job that says nothing of it shows nothing', async () => {
    expect(Object.keys((await post({})).json())).not.toContain('start_timecode');
  });

  it.each([
    ['start_timecode', { start_timecode: '24:00:00:00' }],
    ['start_timecode', { start_timecode: '10:00:00.00' }],
    ['start_timecode', { start_timecode: '10:00:00:25', timecode_rate: 25 }],
    ['start_timecode', { start_timecode: '10:00:00;00', timecode_rate: 25 }],
    ['start_timecode', { start_timecode: '10:01:00;00', timecode_rate: 29.97 }],
    ['start_timecode', { start_timecode: '10:01:00;03', timecode_rate: 59.94 }],
    ['timecode_rate', { start_timecode: '10:00:00:00', timecode_rate: 12.5 }],
    ['timecode_rate', { timecode_rate: 25 }],
    ['reel', { reel: '' }],
    ['reel', { reel: ' ' }],
    ['reel', { reel: 'A\n* FROM CLIP NAME: x' }],
    ['reel', { reel: 'A'.repeat(65) }],
    ['master', { master: 'A001.mxf' }],
    ['master', { master: '/Volumes/A001.mxf' }],
    ['master', { master: 'file:///a b' }],
    ['master', { master: UMID.slice(1) }],
    ['master', { master: `https://example.org/${'a'.repeat(2048)}` }],
  ])('%s of %j is refused', async (name, master) => {
    const answer = await post(master);
    expect([answer.status, answer.json()['errors']]).toEqual([400, [expect.objectContaining({ pointer: `/${name}` })]]);
  });

  it('is said of one source', async () => {
    const answer = await post({ reel: 'A001' }, [SOURCE, 'https://example.org/other.mp4']);
    expect([answer.status, answer.json()['detail']]).toEqual([
      400,
      'reel is said of one source, and the job has 2: post a job for each.',
    ]);
  });
});
