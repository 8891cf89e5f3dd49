/** @needs ffmpeg, weights, build, time */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nullIfNoFile } from '@adit/contracts';
import { describeLive, liveServer, type LiveServer } from '@adit/testing';
import { manTwice } from './films.js';
import { LiveEngine, packaged, until } from './live-engine.js';

await describeLive('live streams over minutes', (program) => {
  let server: LiveServer;
  let live: LiveEngine;

  beforeAll(async () => {
    [server, live] = await Promise.all([liveServer(program), LiveEngine.start()]);
  });
  afterAll(async () => {
    await live?.close();
    await server?.remove();
  });

  it('a camera with a password is mined while it runs, with events, over an outage of its server', async () => {
    const { api } = live.engine;
    const film = await manTwice();
    await server.publish('cam', film);
    const { name, password } = server.user;
    const credentials = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
    const job = await api.post({
      sources: [`rtsp://${credentials}@127.0.0.1:${server.ports.rtsp}/cam`],
      webhook: {
        callback: live.address(),
        events: ['job.face_recognition.on_segment_start', 'job.face_recognition.on_segment_end'],
      },
    });
    expect(job).toMatchObject({
      media_type: 'videostream',
      sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/cam`],
    });
    await live.segments(job, 1);

    await server.kill();
    await sleep(8000);
    await server.start();
    await server.publish('cam', film);
    // On a busy machine the server may skip pictures before, which is a gap of its own, and times may be seconds late.
    const outage = await until('gap of the outage', async () => {
      const gaps = await live.gaps(job);
      return gaps.find((gap) => gap.time_end - gap.time_start > 3) ?? null;
    });
    await live.mined(job, outage.time_end + 8);
    const ended = await live.stop(job);
    expect(ended.state).toBe('stopped');

    const all = await api.segments(job.id);
    const gaps = await live.gaps(job);
    for (const { time_start: start, time_end: end } of all) {
      // Nobody was seen in a gap, and nobody over one.
      for (const gap of gaps) expect(end < gap.time_start + 0.1 || start > gap.time_end - 0.1).toBe(true);
    }
    expect(all.length).toBeGreaterThanOrEqual(2);
    await until('end of each segment', async () => {
      const ends = live.received.filter(({ event }) => event.endsWith('on_segment_end'));
      return ends.length >= all.length ? ends : null;
    });
    const starts = live.received.filter(({ event }) => event.endsWith('on_segment_start'));
    expect(starts.length).toBeGreaterThanOrEqual(all.length);
    // Nowhere in the log is the password.
    expect(await live.engine.log()).not.toContain(password);
  });

  it('a playlist is followed, and an engine that dies goes on where it was', async () => {
    await server.publish('open/hls', await manTwice());
    const address = `http://127.0.0.1:${server.ports.hls}/open/hls/index.m3u8`;
    const job = await until('playlist', async () => {
      const reply = await fetch(address).catch(() => null);
      return reply?.ok === true ? await live.engine.api.post({ sources: [address] }) : null;
    });
    await live.mined(job, 5);
    await live.engine.kill();
    await live.engine.boot();
    const before = (await live.engine.api.job(job.id)).duration;
    await live.mined(job, before + 6);
    await live.stop(job);
    const all = await live.engine.api.segments(job.id);
    expect(all.length).toBeGreaterThanOrEqual(1);
    // A frame that was read twice would be counted twice.
    for (const { frame_end: frame, time_end: time } of all) {
      expect(Number(frame)).toBeLessThanOrEqual(Math.round(time * 25) + 2);
    }
  });

  it('a DASH stream is mined while it is packaged, and one with an end as a film', async () => {
    const film = await manTwice();
    const args = ['-f', 'dash', '-seg_duration', '2', '-window_size', '5', join(live.folder, 'live.mpd')];
    const packager = spawn(process.env['ADIT_FFMPEG'] ?? 'ffmpeg', [
      ...['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', film, '-c', 'copy', ...args],
    ]);
    try {
      await until('manifest', () => readFile(join(live.folder, 'live.mpd')).catch(nullIfNoFile));
      const posted = Date.now();
      const job = await live.engine.api.post({ sources: [live.address('live.mpd')] });
      expect(job).toMatchObject({ media_type: 'videostream' });
      const [first] = await live.segments(job, 1);
      // It begins near the end of what is listed, and says the time that the manifest says.
      expect(Date.parse(first!.time_of_day!)).toBeGreaterThan(posted - 20_000);
      expect(Date.parse(first!.time_of_day!)).toBeLessThan(Date.now());
      await live.mined(job, 5);
      expect(await live.stop(job)).toMatchObject({ state: 'stopped', errors: [] });
      expect(await live.gaps(job)).toEqual([]);
    } finally {
      packager.kill();
    }
    await packaged(film, ['-f', 'dash', '-seg_duration', '4'], join(live.folder, 'film.mpd'));
    const whole = await live.engine.api.mine({ sources: [live.address('film.mpd')] });
    expect(whole).toMatchObject({ media_type: 'video', state: 'completed', errors: [] });
    expect((await live.engine.api.segments(whole.id)).length).toBeGreaterThanOrEqual(2);
  });
});
