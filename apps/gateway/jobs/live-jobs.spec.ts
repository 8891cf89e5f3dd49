/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { Job } from '@adit/contracts';
import { columns, JobEntity, SegmentEntity } from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { addGap, StreamClaims, writePosition, type ClaimedStream } from '@adit/streams';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type Answer, type TestGateway } from '../testing/gateway.js';

const encryptionKey = 'a key of the specs, long enough to be one';
const SHOWN = 'rtsp://camera.example.org/live';
const CAMERA = 'rtsp://operator:hunter2@camera.example.org/live?token=t0k3n';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ encryptionKey });
}, BOOT_MS);
afterAll(() => gateway?.close());

const post = (sources: string[], extra: object = {}, of = gateway): Promise<Answer> =>
  of.ask('POST', '/api/v1/jobs/', { sources, modules: { face_recognition: {} }, ...extra });
const posted = async (source = CAMERA, extra: object = {}): Promise<Job> => {
  const answer = await post([source], extra);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return Job.parse(answer.json());
};
const claimed = async (jobId: string): Promise<ClaimedStream> => {
  const settings = { streamsPerWorkspace: 1_000, streamsPerRecorder: 1_000, encryptionKey };
  const claims = new StreamClaims(gateway.db, settings);
  for (let at = 0; at < 100; at++) {
    const stream = await claims.claim(at, 60);
    if (stream?.jobId === jobId) return stream;
  }
  throw new Error('the stream of the job was not there');
};
const stop = (jobId: string) => gateway.ask('POST', `/api/v1/jobs/${jobId}/stop/`);

/** Tables in which a text is found. */
async function tablesWith(text: string): Promise<string[]> {
  const tables: { name: string }[] = await gateway.db.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows: unknown[] = await gateway.db.query(
      `SELECT 1 FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1 LIMIT 1`,
      [`%${text}%`],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('a job with a live source', () => {
  /** @hardening privacy: A camera’s password is shown or stored */
  it('a live job shows its address without secrets, which are stored encrypted alone', async () => {
    const job = await posted(CAMERA, { tag: 'camera' });
    expect(job).toMatchObject({ sources: [SHOWN], media_type: 'videostream', progress: 0, state: 'waiting' });
    expect(new URL(job.gaps ?? '').pathname).toBe(`/api/v1/jobs/${job.id}/gaps/`);
    const texts = [
      await gateway.ask('GET', `/api/v1/jobs/${job.id}/`),
      await gateway.ask('GET', '/api/v1/jobs/?tag=camera'),
    ].map(({ text }) => text);
    for (const secret of ['hunter2', 'operator', 't0k3n']) {
      expect(texts.join()).not.toContain(secret);
      expect(await tablesWith(secret)).toEqual([]);
    }
    expect((await claimed(job.id)).address()).toBe(CAMERA);
    await stop(job.id);
  });

  /** @hardening privacy: The passphrase of an SRT stream is shown or stored */
  it('a stream over SRT shows neither its passphrase nor its stream id, which are stored encrypted alone', async () => {
    const source = 'srt://studio.example.org:9000?streamid=#!::r=s3cr3t-room&passphrase=hunter2hunter2';
    const job = await posted(source);
    expect(job.sources).toEqual(['srt://studio.example.org:9000']);
    for (const secret of ['hunter2', 's3cr3t']) expect(await tablesWith(secret)).toEqual([]);
    expect((await claimed(job.id)).address()).toBe(source);
    await stop(job.id);
  });

  it(
    'a call over SRT is waited for where the operator allows its port',
    async () => {
      const open = await startGateway({ encryptionKey, srtListenPorts: ['9000-9010'] });
      try {
        const answer = await post(['srt://:9000?mode=listener&passphrase=hunter2hunter2'], {}, open);
        expect([answer.status, answer.json()]).toMatchObject([200, { sources: ['srt://:9000'] }]);
        expect((await post(['srt://:9011?mode=listener&passphrase=hunter2hunter2'], {}, open)).status).toBe(400);
        expect((await post(['srt://:9000?mode=listener'], {}, open)).status).toBe(400);
        // Whoever calls there would be taken for the other stream's caller.
        const again = ['srt://:09000/?mode=listener&passphrase=anotherpassphrase'];
        const refusal = await post(again, {}, open);
        expect([refusal.status, refusal.json()]).toMatchObject([
          409,
          {
            code: 'CONFLICT',
            detail: expect.stringMatching(/at port 9000.* 9000-9010/),
            errors: [{ pointer: '/sources/0' }],
          },
        ]);
        expect((await post(['srt://:9001?mode=listener&passphrase=hunter2hunter2'], {}, open)).status).toBe(200);
        await open.ask('POST', `/api/v1/jobs/${answer.json<Job>().id}/stop/`);
        expect((await post(again, {}, open)).status).toBe(200);
      } finally {
        await open.close();
      }
    },
    BOOT_MS,
  );

  it(
    'a camera’s secrets are refused where nothing encrypts them, and an open address is not',
    async () => {
      const plain = await startGateway();
      try {
        const refused = await post([CAMERA], {}, plain);
        expect(refused.status).toBe(400);
        expect(refused.text).toContain('ADIT_ENCRYPTION_KEY');
        expect(refused.text).not.toContain('hunter2');
        expect((await post([SHOWN], {}, plain)).status).toBe(200);
      } finally {
        await plain.close();
      }
    },
    BOOT_MS,
  );

  it.each([
    ['a second source', [SHOWN, 'https://example.org/a.mp4'], 'VALIDATION', '/sources/0'],
    ['a live source behind a film', ['https://example.org/a.mp4', SHOWN], 'VALIDATION', '/sources/1'],
    ['SRT without a port', ['srt://example.org'], 'VALIDATION', '/sources/0'],
    ['SRT with a misspelled parameter', ['srt://example.org:9000?stream=a'], 'VALIDATION', '/sources/0'],
    ['a port of the recorder', ['srt://:9000?mode=listener&passphrase=0123456789'], 'SOURCE_REFUSED', '/sources/0'],
    ['a private address', ['rtsp://0x7f000001/live'], 'SOURCE_REFUSED', '/sources/0'],
  ])('a live job is refused for %s', async (_, sources, code, pointer) => {
    const answer = await post(sources);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code,
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
  });

  it('a live job is refused for one of several programmes', async () => {
    for (const source of [SHOWN, 'https://example.org/a.m3u8']) {
      const answer = await post([source], { program: 1 });
      expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ pointer: '/program' }] }]);
    }
  });

  /** @hardening privacy: A camera address reaches the internal network (SSRF) */
  it('a private address is refused over every scheme when the job is posted', async () => {
    const hosts = [
      ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '%31%32%37.0.0.1', 'localhost', 'a.localhost.'],
      ...['[::1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '10.0.0.1', '012.0.0.1', '0xa9fea9fe', '[fd00:ec2::254]'],
      ...['user:pass@192.168.0.1', 'example.org@10.0.0.1', '224.0.0.1', '0.0.0.0', '100.64.0.1'],
    ];
    const forms = [
      'rtsp://H/a',
      'rtsps://H/a',
      'rtmp://H/a',
      'rtmps://H/a',
      'srt://H',
      'https://H/a.m3u8',
      'https://H/a.mpd',
    ];
    const passed: string[] = [];
    for (const form of forms)
      for (const host of hosts) {
        const answer = await post([form.replace('H', host)]);
        if (answer.json()['code'] !== 'SOURCE_REFUSED') passed.push(form.replace('H', host));
      }
    expect(passed).toEqual([]);
  }, 120_000);

  it('a manifest of DASH is taken, with its password encrypted', async () => {
    const job = await posted('https://operator:hunter2@example.org/a.mpd?token=t0k3n');
    expect(job).toMatchObject({ sources: ['https://example.org/a.mpd'], media_type: 'videostream' });
    expect(await tablesWith('hunter2')).toEqual([]);
    await stop(job.id);
  });

  it('a web address is a stream where the job says so, with its password encrypted, and a film elsewhere', async () => {
    const address = 'https://operator:hunter2@example.org/udp/1?token=t0k3n';
    const job = await posted(address, { media_type: 'videostream' });
    expect(job).toMatchObject({ sources: ['https://example.org/udp/1'], media_type: 'videostream' });
    expect(await tablesWith('hunter2')).toEqual([]);
    expect((await claimed(job.id)).address()).toBe(address);
    await stop(job.id);
    const erased = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: address });
    expect(erased.json()).toMatchObject({ subject: { file_uri: 'https://example.org/udp/1' } });
    expect((await post([address])).json()).toMatchObject({ code: 'SOURCE_REFUSED' });
    const film = await posted('https://example.org/udp/1');
    expect(film.media_type).toBe('video');
    await stop(film.id);
    for (const source of ['storage://abc', 'file:///srv/a.ts', 'ftp://example.org/a', 'https://127.0.0.1/a']) {
      const answer = await post([source], { media_type: 'videostream' });
      expect([source, answer.status, answer.json()['errors']]).toEqual([
        source,
        400,
        [expect.objectContaining({ pointer: '/sources/0' })],
      ]);
    }
    // A kind that a reply carried changes nothing.
    const other = await posted(SHOWN, { media_type: 'video' });
    expect(other.media_type).toBe('videostream');
    await stop(other.id);
  });

  it('a range of seconds is taken, one of frames refused with its place', async () => {
    await stop((await posted(SHOWN, { modules: { face_recognition: { range: { time_end: 60 } } } })).id);
    const answer = await post([SHOWN], { modules: { face_recognition: { range: { frame_end: 100 } } } });
    expect(answer.json()).toMatchObject({
      code: 'VALIDATION',
      errors: [{ pointer: '/modules/face_recognition/range' }],
    });
  });

  it('a stream is split into parts of a day or of what is asked for, but not where a module has a range', async () => {
    const range = { modules: { face_recognition: { range: { time_end: 60 } } } };
    for (const [extra, seconds] of [
      [{}, 86_400],
      [{ rotate_seconds: null }, 86_400],
      [{ rotate_seconds: 3600 }, 3600],
      [{ rotate_seconds: 0 }, null],
      [range, null],
      [{ ...range, rotate_seconds: 0 }, null],
    ] as const) {
      const job = await posted(SHOWN, extra);
      const parts = { rotate_seconds: seconds, previous_part: null, next_part: null };
      expect(job).toMatchObject(parts);
      expect((await gateway.ask('GET', `/api/v1/jobs/${job.id}/`)).json()).toMatchObject(parts);
      await stop(job.id);
    }
    const film = Job.parse((await post(['https://example.org/a.mp4'])).json());
    expect(film).not.toHaveProperty('rotate_seconds');
    await stop(film.id);
  });

  it.each([
    ['a film', ['https://example.org/a.mp4'], { rotate_seconds: 60 }, /Only a live stream/],
    [
      'a stream with a range',
      [SHOWN],
      { rotate_seconds: 60, modules: { face_recognition: { range: { time_end: 9 } } } },
      /range/,
    ],
    ['less than the least', [SHOWN], { rotate_seconds: 9 }, /10 s to 604800 s/],
    ['more than a week', [SHOWN], { rotate_seconds: 604_801 }, /10 s to 604800 s/],
    ['less than nothing', [SHOWN], { rotate_seconds: -1 }, /10 s to 604800 s/],
  ])('parts are refused for %s', async (_, sources, extra, message) => {
    const answer = await post(sources, extra);
    expect(answer.json()).toMatchObject({
      code: 'VALIDATION',
      errors: [{ pointer: '/rotate_seconds', message: expect.stringMatching(message) }],
    });
  });

  it('segment events are for every module of a live job, and not for films', async () => {
    const webhook = { events: ['job.face_recognition.on_segment_start'], callback: 'https://example.org/hook' };
    await stop((await posted(SHOWN, { webhook })).id);
    expect((await post(['https://example.org/a.mp4'], { webhook })).status).toBe(400);
  });

  it('a dry run says that it is live, and opens nothing', async () => {
    const answer = await gateway.ask('POST', '/api/v1/jobs/dry-run/', {
      sources: [CAMERA],
      modules: { face_recognition: {} },
    });
    expect(answer.json()).toMatchObject({
      media_type: 'videostream',
      sources: [{ source: SHOWN, facts: null, error: null }],
      estimate: { media_seconds: 0, pictures: 0 },
    });
  });

  it('a live stream is no picture', async () => {
    const answer = await gateway.ask('POST', '/api/v1/faces/detect/', { file_uri: 'https://example.org/a.m3u8' });
    expect(answer.status).toBe(400);
  });
});

describe('a live job that runs', () => {
  const zeroAt = new Date('2026-11-30T08:00:00.000Z');
  let job: Job;
  let stream: ClaimedStream;
  beforeAll(async () => {
    job = await posted();
    stream = await claimed(job.id);
    await gateway.app.get(OutboxRelay).transaction(async (manager) => {
      await (await LockedJob.take(manager, job.id))?.apply({ kind: 'opened' });
      await writePosition(manager, stream, { zeroAt, frames: 250, lastUs: 10_000_000, nextPosition: 5 });
      const gap = { timeFrom: zeroAt, timeTo: new Date(zeroAt.getTime() + 1_500), reason: 'The connection broke off.' };
      for (const fromUs of [0, 4_000_000, 8_000_000])
        await addGap(manager, stream, { ...gap, fromUs, toUs: fromUs + 1_500_000 });
      const segment = { jobId: job.id, seq: 0, moduleId: 'face_recognition', moduleSeq: 0, sourceIndex: 0 };
      const found = { type: 'face', label: 'Ada', confidence: 0.9, meta: { person: 'Ada' }, detections: [] };
      const times = { frameStart: 62, frameEnd: 100, timeStart: 2.48, timeEnd: 4 };
      const none = { thumbnail: null, keyFrame: null, identityCollection: null, identityNumber: null };
      await manager.insert(SegmentEntity, columns<SegmentEntity>({ ...segment, ...found, ...times, ...none }));
      await manager.update(JobEntity, { id: job.id }, { segmentCount: 1 });
    });
  });

  it('its results carry the wall clock of their start', async () => {
    const { data } = (await gateway.ask('GET', `/api/v1/jobs/${job.id}/detailed-results/`)).json<{ data: object[] }>();
    expect(data).toMatchObject([
      { media_type: 'videostream', time_start: 2.48, time_of_day: '2026-11-30T08:00:02.480000Z', source: SHOWN },
    ]);
  });

  it('its gaps are listed in pages, by offset and cursor, for its workspace alone', async () => {
    const gaps = `/api/v1/jobs/${job.id}/gaps/`;
    const first = (await gateway.ask('GET', `${gaps}?limit=2&cursor=`)).json<{
      next: string;
      data: object[];
      total: number;
    }>();
    expect(first).toMatchObject({
      total: 3,
      data: [
        { number: 1, time_end: 1.5 },
        { number: 2, time_start: 4 },
      ],
    });
    expect(first.data[0]).toEqual({
      number: 1,
      time_start: 0,
      time_end: 1.5,
      time_of_day_start: '2026-11-30T08:00:00.000000Z',
      time_of_day_end: '2026-11-30T08:00:01.500000Z',
      reason: 'The connection broke off.',
    });
    const { pathname, search } = new URL(first.next, 'http://x');
    expect((await gateway.ask('GET', pathname + search)).json()).toMatchObject({ data: [{ number: 3 }], next: null });
    expect((await gateway.ask('GET', `/api/v1/jobs/${randomUUID()}/gaps/`)).status).toBe(404);
  });

  it('its progress is 0 while it runs, and an erasure by the address in any form waits for its end', async () => {
    const read = Job.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/`)).json());
    expect(read).toMatchObject({ state: 'processing', progress: 0 });
    const asked = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: CAMERA });
    expect(asked.json()).toMatchObject({ state: 'processing', subject: { file_uri: SHOWN } });
    await stop(job.id);
    const again = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: SHOWN });
    expect(again.json()).toMatchObject({ counts: { segments: 1 } });
    const refused = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: 'https://example.org/a.mp4' });
    expect(refused.json()).toMatchObject({ code: 'VALIDATION', errors: [{ pointer: '/file_uri' }] });
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    const left = await gateway.db.query(
      'SELECT 1 FROM streams WHERE job_id = $1 UNION ALL SELECT 1 FROM stream_gaps WHERE job_id = $1',
      [job.id],
    );
    expect(left).toEqual([]);
  });
});
