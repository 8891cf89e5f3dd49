/** @needs ffmpeg, weights, build */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nullIfNoFile, StreamGapPage, type DetailedResult, type Job } from '@adit/contracts';
import { describeLive, liveServer, SRT_PASSPHRASE, type LiveServer } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';
import { manTwice, mediaRoots } from './films.js';

/** Waits until something is so, and returns it. */
async function until<T>(what: string, ask: () => Promise<T | null>, seconds = 240): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(250)) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`Within ${seconds} s there is no ${what}.`);
  }
}

await describeLive('live streams', (program) => {
  let server: LiveServer;
  let engine: EngineUnderTest;
  let receiver: Server;
  /** Of a playlist and its segments. */
  let folder: string;
  /** Events with the milliseconds when they came. */
  const received: { at: number; event: string; data: { segment?: DetailedResult; id?: string } }[] = [];

  beforeAll(async () => {
    [server, receiver] = [await liveServer(program), createServer()];
    folder = await mkdtemp(join(tmpdir(), 'live-e2e-'));
    receiver.on('request', (request, response) => {
      if (request.method === 'GET') {
        void readFile(join(folder, basename(request.url ?? '')))
          .catch(nullIfNoFile)
          .then((file) => response.writeHead(file === null ? 404 : 200).end(file ?? undefined));
        return;
      }
      let raw = '';
      request.setEncoding('utf8').on('data', (piece: string) => (raw += piece));
      request.on('end', () => {
        received.push({ at: Date.now(), ...(JSON.parse(raw) as { event: string; data: object }) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    engine = await EngineUnderTest.start({
      localRoots: await mediaRoots(),
      env: {
        ADIT_ALLOW_HTTP: 'true',
        ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
        ADIT_WEBHOOK_ALLOW_HTTP: 'true',
        ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
        ADIT_STREAM_IDLE_SECONDS: '3',
        // Nothing is left out, however busy the machine is: all gaps are outages.
        ADIT_STREAM_LAG_SECONDS: '600',
      },
    });
  });
  afterAll(async () => {
    await engine?.close();
    await server?.remove();
    receiver?.closeAllConnections();
    receiver?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const stopped = async ({ id }: Job): Promise<Job> => {
    await engine.api.request('POST', `/jobs/${id}/stop/`);
    return engine.api.ended(id);
  };
  const gapsOf = async ({ id }: Job) => (await engine.api.call(StreamGapPage, 'GET', `/jobs/${id}/gaps/`)).data;
  /** Returns the segments of faces in order once there are that many. */
  const faces = ({ id }: Job, count: number): Promise<DetailedResult[]> =>
    until(`${count} segments`, async () => {
      const found = await engine.api.segments(id);
      return found.length >= count ? found : null;
    });
  const read = ({ id }: Job, seconds: number): Promise<true> =>
    until(`${seconds} s of work`, async () => ((await engine.api.job(id)).duration > seconds ? true : null));

  it('a camera with a password is mined while it runs, with events, over an outage of its server', async () => {
    const film = await manTwice();
    await server.publish('cam', film);
    const { port } = receiver.address() as AddressInfo;
    const { name, password } = server.user;
    const credentials = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
    const job = await engine.api.post({
      sources: [`rtsp://${credentials}@127.0.0.1:${server.ports.rtsp}/cam`],
      webhook: {
        callback: `http://127.0.0.1:${port}/`,
        events: ['job.face_recognition.on_segment_start', 'job.face_recognition.on_segment_end'],
      },
    });
    expect(job).toMatchObject({
      media_type: 'videostream',
      sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/cam`],
    });
    // The film goes round: a man is there within seconds, wherever it was.
    const [first] = await faces(job, 1);
    expect(await engine.api.job(job.id)).toMatchObject({ state: 'processing', progress: 0 });
    expect(Date.parse(first!.time_of_day!) / 1000).toBeCloseTo(Date.now() / 1000, -2);

    await server.kill();
    await sleep(8000);
    await server.start();
    await server.publish('cam', film);
    // On a busy machine the server may skip pictures before, which is a gap of its own, and times may be seconds late.
    const outage = await until('gap of the outage', async () => {
      const gaps = await gapsOf(job);
      return gaps.find((gap) => gap.time_end - gap.time_start > 3) ?? null;
    });
    await read(job, outage.time_end + 8);
    const ended = await stopped(job);
    expect(ended.state).toBe('stopped');

    const all = await engine.api.segments(job.id);
    const gaps = await gapsOf(job);
    for (const { time_start: start, time_end: end } of all) {
      // Nobody was seen in a gap, and nobody over one.
      for (const gap of gaps) expect(end < gap.time_start + 0.1 || start > gap.time_end - 0.1).toBe(true);
    }
    expect(all.length).toBeGreaterThanOrEqual(2);
    await until('end of each segment', async () => {
      const ends = received.filter(({ event }) => event.endsWith('on_segment_end'));
      return ends.length >= all.length ? ends : null;
    });
    const starts = received.filter(({ event }) => event.endsWith('on_segment_start'));
    expect(starts.length).toBeGreaterThanOrEqual(all.length);
    // Nowhere in the log is the password.
    expect(await engine.log()).not.toContain(password);
  });

  it('a stream over SRT with a passphrase is mined', async () => {
    await server.publish('sealed/srt', await manTwice());
    const query = `streamid=read:sealed/srt&passphrase=${encodeURIComponent(SRT_PASSPHRASE)}`;
    const job = await engine.api.post({ sources: [`srt://127.0.0.1:${server.ports.srt}?${query}`] });
    expect(job).toMatchObject({ media_type: 'videostream', sources: [`srt://127.0.0.1:${server.ports.srt}`] });
    await faces(job, 1);
    const ended = await stopped(job);
    expect(ended).toMatchObject({ state: 'stopped', errors: [] });
    expect(await gapsOf(job)).toEqual([]);
    expect(await engine.log()).not.toContain(SRT_PASSPHRASE);
  });

  it('a playlist is followed, and an engine that dies goes on where it was', async () => {
    await server.publish('open/hls', await manTwice());
    const address = `http://127.0.0.1:${server.ports.hls}/open/hls/index.m3u8`;
    const job = await until('playlist', async () => {
      const reply = await fetch(address).catch(() => null);
      return reply?.ok === true ? await engine.api.post({ sources: [address] }) : null;
    });
    await read(job, 5);
    await engine.kill();
    await engine.boot();
    const before = (await engine.api.job(job.id)).duration;
    await read(job, before + 6);
    await stopped(job);
    const all = await engine.api.segments(job.id);
    expect(all.length).toBeGreaterThanOrEqual(1);
    // A frame that was read twice would be counted twice.
    for (const { frame_end: frame, time_end: time } of all) {
      expect(Number(frame)).toBeLessThanOrEqual(Math.round(time * 25) + 2);
    }
  });

  it('a playlist that has an end is mined as a film', async () => {
    const parts = ['-c', 'copy', '-f', 'hls', '-hls_list_size', '0', '-hls_time', '4', join(folder, 'film.m3u8')];
    await promisify(execFile)(process.env['ADIT_FFMPEG'] ?? 'ffmpeg', [
      '-v',
      'error',
      '-i',
      await manTwice(),
      ...parts,
    ]);
    const { port } = receiver.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}/film.m3u8`;
    const [film, playlist] = [
      await engine.api.mine({ sources: [await manTwice()] }),
      await engine.api.mine({ sources: [address] }),
    ];
    expect(playlist).toMatchObject({ media_type: 'video', state: 'completed', errors: [] });
    const brief = async ({ id }: Job) =>
      (await engine.api.segments(id)).map(({ frame_start, frame_end }) => [frame_start, frame_end]);
    expect(await brief(playlist)).toEqual(await brief(film));
  });

  it('a DASH stream is mined while it is packaged, and one with an end as a film', async () => {
    const film = await manTwice();
    const { port } = receiver.address() as AddressInfo;
    const args = ['-f', 'dash', '-seg_duration', '2', '-window_size', '5', join(folder, 'live.mpd')];
    const packager = spawn(process.env['ADIT_FFMPEG'] ?? 'ffmpeg', [
      ...['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', film, '-c', 'copy', ...args],
    ]);
    try {
      await until('manifest', () => readFile(join(folder, 'live.mpd')).catch(nullIfNoFile));
      const posted = Date.now();
      const job = await engine.api.post({ sources: [`http://127.0.0.1:${port}/live.mpd`] });
      expect(job).toMatchObject({ media_type: 'videostream' });
      const [first] = await faces(job, 1);
      // It begins near the end of what is listed, and says the time that the manifest says.
      expect(Date.parse(first!.time_of_day!)).toBeGreaterThan(posted - 20_000);
      expect(Date.parse(first!.time_of_day!)).toBeLessThan(Date.now());
      await read(job, 5);
      expect(await stopped(job)).toMatchObject({ state: 'stopped', errors: [] });
      expect(await gapsOf(job)).toEqual([]);
    } finally {
      packager.kill();
    }
    const parts = ['-c', 'copy', '-f', 'dash', '-seg_duration', '4', join(folder, 'film.mpd')];
    await promisify(execFile)(process.env['ADIT_FFMPEG'] ?? 'ffmpeg', ['-v', 'error', '-i', film, ...parts]);
    const whole = await engine.api.mine({ sources: [`http://127.0.0.1:${port}/film.mpd`] });
    expect(whole).toMatchObject({ media_type: 'video', state: 'completed', errors: [] });
    expect((await engine.api.segments(whole.id)).length).toBeGreaterThanOrEqual(2);
  });

  it('what cannot be read is refused with the reason', async () => {
    const wrong = await engine.api.post({ sources: [`rtsp://nobody:wrong@127.0.0.1:${server.ports.rtsp}/cam`] });
    expect(await engine.api.ended(wrong.id)).toMatchObject({
      state: 'failed',
      errors: [expect.stringMatching(/user name|password/)],
    });
    await expect(engine.api.post({ sources: ['rtsp://10.0.0.1/a'] })).rejects.toThrow(/not a public address/);
    await expect(
      engine.api.post({ sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/cam`, await manTwice()] }),
    ).rejects.toThrow(/400/);
  });
});
