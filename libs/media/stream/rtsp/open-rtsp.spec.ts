/** @needs servers */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeLive, liveServer, numberedFilm, transcode, type LiveServer } from '@adit/testing';
import type { LiveRun } from '../live-run.js';
import { hashesOf, isPieceOf, packetHashes, readFor } from '../testing/received.js';
import { openRtsp, type RtspOptions } from './open-rtsp.js';

const run = promisify(execFile);
const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=4'];
const H264 = ['-c:v', 'libx264', '-g', '25', '-bf', '0', '-pix_fmt', 'yuv420p'];

function film(name: string, codecs: readonly string[], width = 192): Promise<string> {
  const pictures = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 4, width })];
  return transcode(name, [...pictures, ...SOUND, ...codecs]);
}

function options(more: Partial<RtspOptions> = {}): RtspOptions {
  return {
    localRoots: [],
    allowHttp: false,
    allowPrivateAddresses: ['127.0.0.1/32'],
    signal: new AbortController().signal,
    idleTimeoutSeconds: 5,
    ...more,
  };
}

/** The first run of a stream; its generator ends with it. */
async function firstRun(uri: string, more?: Partial<RtspOptions>): Promise<LiveRun> {
  const { value } = await openRtsp(uri, options(more)).next();
  if (value === undefined) throw new Error('There was no run.');
  return value as LiveRun;
}

/** Programs that this process has started and that still run, by name. */
async function children(): Promise<string[]> {
  const tasks = await readdir('/proc/self/task');
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8')));
  const names = lists.flatMap((list) => list.trim().split(' ')).filter(Boolean);
  const comms = await Promise.all(names.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return comms.map((comm) => comm.trim());
}

await describeLive('a stream over RTSP', (program) => {
  let server: LiveServer;
  let recorded: string;
  beforeAll(async () => {
    recorded = await film('camera.mp4', [...H264, '-c:a', 'aac']);
    server = await liveServer(program);
    await server.publish('open/film', recorded);
  });
  afterAll(() => server.remove());
  const at = (path: string, user = ''): string => `rtsp://${user}127.0.0.1:${server.ports.rtsp}/${path}`;

  it.each(['tcp', 'udp'] as const)('comes bit by bit as it was sent, over %s', async (transport) => {
    const received = await hashesOf(await readFor(await firstRun(at('open/film'), { transport }), 3), 'h264');
    const sent = await packetHashes(recorded, 'h264');
    expect(received.video.length).toBeGreaterThan(40);
    expect(received.audio.length).toBeGreaterThan(60);
    expect(isPieceOf(received.video, sent.video)).toBe(true);
    // The encoder's first packet holds no sound; a film that is played again leaves it out.
    expect(isPieceOf(received.audio, sent.audio.slice(1))).toBe(true);
  });

  it('comes encrypted from a server whose certificate is trusted', async () => {
    const uri = `rtsps://127.0.0.1:${server.ports.rtsps}/open/film`;
    await expect(firstRun(uri)).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('certificate'),
    });
    for (const trust of [{ ca: server.certificate }, { uncheckedCertificates: ['127.0.0.1'] }]) {
      const received = await hashesOf(await readFor(await firstRun(uri, trust), 2), 'h264');
      expect(received.video.length).toBeGreaterThan(20);
      expect(isPieceOf(received.video, (await packetHashes(recorded, 'h264')).video)).toBe(true);
    }
  });

  it('is read with the right password alone, which is shown nowhere', async () => {
    const publisher = await server.publish('closed/film', recorded);
    const { name, password } = server.user;
    const found = await firstRun(at('closed/film', `${name}:${encodeURIComponent(password)}@`));
    expect((await readFor(found, 1)).length).toBeGreaterThan(1000);
    const cases = [
      ['', /asks for a user name and a password/],
      [`${name}:wr0ng-one@`, /does not accept the user name or the password/],
    ] as const;
    for (const [user, reason] of cases) {
      const error: unknown = await firstRun(at('closed/film', user)).catch((each: unknown) => each);
      expect(error).toMatchObject({ code: 'SOURCE_REFUSED', message: expect.stringMatching(reason) });
      expect(JSON.stringify([String(error), error])).not.toContain('wr0ng');
    }
    await publisher.stop();
  });

  it('whose path nobody sends to may come later', async () => {
    await expect(firstRun(at('open/nothing'))).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('404'),
    });
  });

  it('is read by a program that knows neither its address nor the password', async () => {
    const uri = at('open/film', 'viewer:some-password@');
    const { body } = await firstRun(uri);
    const { stdout } = await run('ps', ['-eo', 'args']);
    const lines = stdout.split('\n').filter((line) => line.includes('-f nut') && line.includes('rtsp://'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).not.toContain(String(server.ports.rtsp));
      expect(line).not.toMatch(/some-password|open\/film/);
    }
    body.destroy();
  });

  it('is stopped at once, and leaves neither program nor connection', async () => {
    const handles = (): number =>
      process.getActiveResourcesInfo().filter((name) => /TCP|UDP|Pipe|Process/.test(name)).length;
    for (const transport of ['tcp', 'udp'] as const) {
      await sleep(100);
      const [before, programs] = [handles(), await children()];
      const { body } = await firstRun(at('open/film'), { transport });
      body.resume();
      await sleep(300);
      const began = performance.now();
      await new Promise((resolve) => body.once('close', resolve).destroy());
      expect(performance.now() - began).toBeLessThan(1000);
      await sleep(100);
      expect(await children()).toEqual(programs);
      expect(handles()).toBeLessThanOrEqual(before);
    }
  });

  it('is stopped by its signal, before and after it has begun', async () => {
    const aborted = AbortSignal.abort(new Error('deleted'));
    await expect(firstRun(at('open/film'), { signal: aborted })).rejects.toThrow('deleted');
    const controller = new AbortController();
    const found = await firstRun(at('open/film'), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('deleted')), 200);
    await expect(readFor(found, 60)).rejects.toThrow('deleted');
  });

  it.each([
    [
      'MJPEG and G.711',
      'mjpeg',
      ['-c:v', 'mjpeg', '-huffman', 'default', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_mulaw', '-ar', '8000'],
    ],
    [
      'H.265',
      'hevc',
      ['-c:v', 'libx265', '-x265-params', 'log-level=none:bframes=0:keyint=25', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ],
    [
      'H.264 with pictures out of order',
      'h264',
      ['-c:v', 'libx264', '-bf', '2', '-g', '25', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ],
  ])('may be of %s', async (_title, codec, codecs) => {
    const other = await film(`${codec}.mkv`, codecs);
    const publisher = await server.publish(`open/${codec}`, other);
    try {
      const received = await hashesOf(await readFor(await firstRun(at(`open/${codec}`)), 2.5), codec);
      const sent = await packetHashes(other, codec);
      expect(received.video.length).toBeGreaterThan(20);
      expect(received.audio.length).toBeGreaterThan(10);
      // MJPEG travels without its headers, which a reader makes anew.
      if (codec !== 'mjpeg') expect(isPieceOf(received.video, sent.video)).toBe(true);
    } finally {
      await publisher.stop();
    }
  });
});

await describeLive('a stream over RTSP that breaks', (program) => {
  let server: LiveServer;
  let recorded: string;
  beforeAll(async () => {
    recorded = await film('camera.mp4', [...H264, '-c:a', 'aac']);
  });
  const at = (): string => `rtsp://127.0.0.1:${server.ports.rtsp}/open/film`;

  it('because the server was killed may go on later', async () => {
    server = await liveServer(program);
    try {
      await server.publish('open/film', recorded);
      const found = await firstRun(at());
      setTimeout(() => void server.kill(), 1000);
      await expect(readFor(found, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
      await expect(firstRun(at())).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    } finally {
      await server.remove();
    }
  });

  it.each(['tcp', 'udp'] as const)('because nothing comes over %s any more is noticed', async (transport) => {
    server = await liveServer(program);
    try {
      await server.publish('open/film', recorded);
      const found = await firstRun(at(), { transport, idleTimeoutSeconds: 2 });
      setTimeout(() => server.freeze(), 500);
      await expect(readFor(found, 60)).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
        message: expect.stringContaining('sends nothing'),
      });
      await expect(firstRun(at(), { idleTimeoutSeconds: 1 })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    } finally {
      server.thaw();
      await server.remove();
    }
  });

  it('because another takes its place ends, and the next one is of the other', async () => {
    server = await liveServer(program);
    try {
      await server.publish('open/film', recorded);
      const found = await firstRun(at());
      const read = readFor(found, 60).catch((error: unknown) => error);
      await sleep(500);
      const larger = await film('larger.mp4', [...H264, '-c:a', 'aac'], 384);
      await server.publish('open/film', larger);
      expect(await read).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
      const received = await hashesOf(await readFor(await firstRun(at()), 2), 'h264');
      expect(isPieceOf(received.video, (await packetHashes(larger, 'h264')).video)).toBe(true);
    } finally {
      await server.remove();
    }
  });

  it('is read over datagrams where the server offers nothing else', async () => {
    server = await liveServer(program, { rtspTransports: ['udp'] });
    try {
      await server.publish('open/film', recorded);
      const received = await hashesOf(await readFor(await firstRun(at()), 2), 'h264');
      expect(isPieceOf(received.video, (await packetHashes(recorded, 'h264')).video)).toBe(true);
    } finally {
      await server.remove();
    }
  });
});
