/** @needs ffmpeg, weights, build */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Job } from '@adit/contracts';
import { describeLive, liveServer, SRT_PASSPHRASE, type LiveServer } from '@adit/testing';
import { manTwice } from './films.js';
import { LiveEngine, packaged } from './live-engine.js';

/** What takes minutes, such as outages, is in live-outages.e2e.spec.ts. */
await describeLive('live streams', (program) => {
  let server: LiveServer;
  let live: LiveEngine;

  beforeAll(async () => {
    [server, live] = await Promise.all([liveServer(program), LiveEngine.start()]);
  });
  afterAll(async () => {
    await live?.close();
    await server?.remove();
  });

  it('a stream over SRT with a passphrase is mined', async () => {
    await server.publish('sealed/srt', await manTwice());
    const query = `streamid=read:sealed/srt&passphrase=${encodeURIComponent(SRT_PASSPHRASE)}`;
    const posted = Date.now();
    const job = await live.engine.api.post({ sources: [`srt://127.0.0.1:${server.ports.srt}?${query}`] });
    expect(job).toMatchObject({ media_type: 'videostream', sources: [`srt://127.0.0.1:${server.ports.srt}`] });
    // The film goes round: a man is there within seconds, wherever it was.
    const [first] = await live.segments(job, 1);
    expect(await live.engine.api.job(job.id)).toMatchObject({ state: 'processing', progress: 0 });
    expect(Date.parse(first!.time_of_day!)).toBeGreaterThan(posted - 10_000);
    expect(Date.parse(first!.time_of_day!)).toBeLessThan(Date.now());
    expect(await live.stop(job)).toMatchObject({ state: 'stopped', errors: [] });
    expect(await live.gaps(job)).toEqual([]);
    expect(await live.engine.log()).not.toContain(SRT_PASSPHRASE);
  });

  it('a playlist that has an end is mined as a film', async () => {
    const args = ['-f', 'hls', '-hls_list_size', '0', '-hls_time', '4'];
    await packaged(await manTwice(), args, join(live.folder, 'film.m3u8'));
    const [film, playlist] = [
      await live.engine.api.mine({ sources: [await manTwice()] }),
      await live.engine.api.mine({ sources: [live.address('film.m3u8')] }),
    ];
    expect(playlist).toMatchObject({ media_type: 'video', state: 'completed', errors: [] });
    const brief = async ({ id }: Job) =>
      (await live.engine.api.segments(id)).map(({ frame_start, frame_end }) => [frame_start, frame_end]);
    expect(await brief(playlist)).toEqual(await brief(film));
  });

  it('what cannot be read is refused with the reason', async () => {
    const { api } = live.engine;
    const wrong = await api.post({ sources: [`rtsp://nobody:wrong@127.0.0.1:${server.ports.rtsp}/cam`] });
    expect(await api.ended(wrong.id)).toMatchObject({
      state: 'failed',
      errors: [expect.stringMatching(/user name|password/)],
    });
    await expect(api.post({ sources: ['rtsp://10.0.0.1/a'] })).rejects.toThrow(/not a public address/);
    await expect(
      api.post({ sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/cam`, await manTwice()] }),
    ).rejects.toThrow(/400/);
  });
});
