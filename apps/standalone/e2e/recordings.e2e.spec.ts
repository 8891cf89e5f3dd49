/** @needs ffmpeg, weights, build, time */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nullIfNoFile, Recording, StreamGapPage, type Job } from '@adit/contracts';
import { describeLive, liveServer, transcode, type LiveServer } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';

const FFMPEG = process.env['ADIT_FFMPEG'] ?? 'ffmpeg';
const FFPROBE = process.env['ADIT_FFPROBE'] ?? 'ffprobe';
/** Seconds that are kept. */
const KEPT_SECONDS = 24;

async function until<T>(what: string, ask: () => Promise<T | null>, seconds = 240): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(500)) {
    const found = await ask();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`Within ${seconds} s there is no ${what}.`);
  }
}

/** A playlist as a player reads it. */
interface Listed {
  name: string;
  start: number;
  duration: number;
  discontinuity: boolean;
}

function readPlaylist(text: string): { sequence: number; ended: boolean; segments: Listed[] } {
  const segments: Listed[] = [];
  let [start, duration, discontinuity] = [NaN, NaN, false];
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXT-X-PROGRAM-DATE-TIME:')) start = Date.parse(line.slice(line.indexOf(':') + 1)) / 1000;
    if (line.startsWith('#EXTINF:')) duration = Number.parseFloat(line.slice('#EXTINF:'.length));
    if (line === '#EXT-X-DISCONTINUITY') discontinuity = true;
    if (line === '' || line.startsWith('#')) continue;
    segments.push({ name: line.replace(/\?.*/, ''), start, duration, discontinuity });
    discontinuity = false;
  }
  const sequence = Number(/MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
  return { sequence, ended: text.includes('#EXT-X-ENDLIST'), segments };
}

await describeLive('recordings of live streams', (program) => {
  let server: LiveServer;
  let engine: EngineUnderTest;
  let film: string;

  beforeAll(async () => {
    // As a camera sends it, with a keyframe every 2 s and sound that no browser plays.
    film = await transcode('recorded-camera.mov', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=8000', '-t', '60'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-sc_threshold', '0', '-c:a', 'pcm_alaw'],
    ]);
    server = await liveServer(program);
    engine = await EngineUnderTest.start({
      localRoots: [],
      env: {
        ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
        ADIT_STREAM_IDLE_SECONDS: '3',
        ADIT_STREAM_LAG_SECONDS: '600',
        ADIT_RECORDING_MINUTES: String(KEPT_SECONDS / 60),
      },
    });
  });
  afterAll(async () => {
    await engine?.close();
    await server?.remove();
  });

  const recordingOf = ({ id }: Job) => engine.api.call(Recording, 'GET', `/jobs/${id}/recording/`);
  const playlistOf = async (job: Job) => {
    const { playlist } = await recordingOf(job);
    const reply = await fetch(playlist);
    return reply.status === 404 ? null : readPlaylist(await reply.text());
  };
  /** Names of the files of the recording in the object store. */
  const stored = async ({ id }: Job): Promise<string[]> => {
    const files = await readdir(engine.dataDir, { recursive: true }).catch(nullIfNoFile);
    return (files ?? []).filter((file) => file.includes(id) && /recording.*\.m4s/.test(file));
  };
  /** Seconds and frames of pictures, and codecs, as ffmpeg plays the address. */
  const played = async (address: string) => {
    const show = ['-count_packets', '-show_entries', 'stream=codec_name,nb_read_packets', '-of', 'json'];
    const more = ['-live_start_index', '0'];
    const { stdout } = await promisify(execFile)(FFPROBE, ['-v', 'error', ...more, ...show, address]);
    const { streams } = JSON.parse(stdout) as { streams: { codec_name: string; nb_read_packets: string }[] };
    return { codecs: streams.map((stream) => stream.codec_name), frames: Number(streams[0]?.nb_read_packets) };
  };

  it('the last seconds of a camera are kept over an outage, play everywhere, and go when their time is over', async () => {
    const publisher = await server.publish('open/recorded', film);
    const job = await engine.api.post({
      sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/open/recorded`],
      record: true,
    });
    expect(new URL(job.recording!).pathname).toBe(`/api/v1/jobs/${job.id}/recording/`);
    const before = await until('recording of 12 s', async () => {
      const playlist = await playlistOf(job);
      expect(await engine.api.job(job.id)).toMatchObject({ errors: [] });
      return playlist !== null && playlist.segments.length >= 3 ? playlist : null;
    });
    expect(before).toMatchObject({ sequence: 0, ended: false });
    // The first times of a connection are less exact.
    for (const { duration } of before.segments) expect(duration >= 3.5 && duration < 6.5).toBe(true);
    const [first] = await stored(job);
    expect(first).toBeDefined();

    await publisher.stop();
    await sleep(5000);
    await server.publish('open/recorded', film);
    const after = await until('recording behind the outage', async () => {
      const playlist = await playlistOf(job);
      const at = playlist?.segments.findIndex(({ discontinuity }) => discontinuity) ?? -1;
      return playlist !== null && at > 0 && playlist.segments.length > at + 1 ? { playlist, at } : null;
    });
    const { segments } = after.playlist;
    const [last, next] = [segments[after.at - 1]!, segments[after.at]!];
    const gap = await until('gap of the outage', async () => {
      const gaps = (await engine.api.call(StreamGapPage, 'GET', `/jobs/${job.id}/gaps/`)).data;
      return gaps.find(({ time_start, time_end }) => time_end - time_start > 3) ?? null;
    });
    // The recording has what was analysed, to the frame or so.
    expect(last.start + last.duration).toBeCloseTo(Date.parse(gap.time_of_day_start!) / 1000, 0);
    expect(next.start).toBeCloseTo(Date.parse(gap.time_of_day_end!) / 1000, 0);
    expect(next.start - last.start - last.duration).toBeGreaterThan(4);

    // The window slides, and what has left it goes from the store.
    const slid = await until('playlist without its first segment', async () => {
      const playlist = await playlistOf(job);
      return playlist !== null && playlist.sequence > 0 ? playlist : null;
    });
    const seconds = slid.segments.at(-1)!.start + slid.segments.at(-1)!.duration - slid.segments[0]!.start;
    expect(seconds).toBeLessThan(KEPT_SECONDS + 5);
    await until('removal of the first segment', async () => ((await stored(job)).includes(first!) ? null : true), 180);

    await engine.api.request('POST', `/jobs/${job.id}/stop/`);
    expect(await engine.api.ended(job.id)).toMatchObject({
      state: 'stopped',
      errors: [expect.stringMatching(/nothing of/)],
    });
    const whole = await until('end of the playlist', async () => {
      const playlist = await playlistOf(job);
      return playlist?.ended === true ? playlist : null;
    });
    const { playlist, state, duration } = await recordingOf(job);
    expect(state).toBe('ended');
    const listed = whole.segments.reduce((sum, segment) => sum + segment.duration, 0);
    expect(duration).toBeCloseTo(listed, 3);
    const { codecs, frames } = await played(playlist);
    expect(codecs).toEqual(['h264', 'aac']);
    expect(Math.abs(frames - listed * 25)).toBeLessThanOrEqual(15);
    // Every picture of it can be decoded.
    const decode = ['-v', 'error', '-xerror', '-i', playlist, '-f', 'null', '-'];
    const { stderr } = await promisify(execFile)(FFMPEG, decode);
    // Two times may be rounded to one frame where the player writes frames at a fixed rate.
    expect(stderr.split('\n').filter((line) => !/^$|^\[null @|Last message repeated/.test(line))).toEqual([]);

    await engine.api.request('DELETE', `/jobs/${job.id}/`);
    expect((await fetch(playlist)).status).toBe(401);
    expect(await stored(job)).toEqual([]);
  });

  it('an engine that dies goes on with the numbers of its recording', async () => {
    await server.publish('open/again', film);
    const job = await engine.api.post({ sources: [`rtsp://127.0.0.1:${server.ports.rtsp}/open/again`], record: true });
    const enough = (count: number) =>
      until(`${count} segments`, async () => {
        const playlist = await playlistOf(job).catch(() => null);
        return playlist !== null && playlist.sequence + playlist.segments.length >= count ? playlist : null;
      });
    await enough(2);
    await engine.kill();
    await engine.boot();
    const { sequence, segments } = await enough(5);
    expect(segments.map(({ name }) => name)).toEqual(segments.map((_, i) => `${sequence + i}.m4s`));
    expect(segments.filter(({ discontinuity }) => discontinuity).length).toBe(1);
    await engine.api.request('DELETE', `/jobs/${job.id}/`);
  });

  it('only live streams are recorded', async () => {
    const posted = engine.api.post({ sources: ['https://example.org/film.mp4'], record: true });
    await expect(posted).rejects.toThrow(/400.*Only a live stream/s);
  });
});
