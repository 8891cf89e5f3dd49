/** @needs servers */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PRIVATE_HOSTS } from '@adit/net/testing';
import { describeLive, liveServer, numberedFilm, transcode, type LiveServer } from '@adit/testing';
import type { ConnectedOptions } from '../connect-camera.js';
import type { LiveRun } from '../live-run.js';
import { hashesOf, isPieceOf, packetHashes, readFor } from '../testing/received.js';
import { openRtmp } from './open-rtmp.js';

const run = promisify(execFile);

function options(more: Partial<ConnectedOptions> = {}): ConnectedOptions {
  return {
    ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ signal: new AbortController().signal, idleTimeoutSeconds: 5, ...more },
  };
}

async function firstRun(uri: string, more?: Partial<ConnectedOptions>): Promise<LiveRun> {
  const { value } = await openRtmp(uri, options(more)).next();
  if (value === undefined) throw new Error('There was no run.');
  return value as LiveRun;
}

it.each(['rtmp', 'rtmps'])('%s:// is refused where its host is not public, however it is written', async (scheme) => {
  for (const host of PRIVATE_HOSTS) {
    const opened = firstRun(`${scheme}://${host}/live/key`, { allowPrivateAddresses: [] });
    await expect(opened).rejects.toMatchObject({ code: expect.stringMatching(/^(SOURCE_REFUSED|VALIDATION)$/) });
  }
});

await describeLive('a stream over RTMP', (program) => {
  let server: LiveServer;
  let film: string;
  beforeAll(async () => {
    const sources = [
      '-f',
      'lavfi',
      '-i',
      numberedFilm({ seconds: 4 }),
      '-f',
      'lavfi',
      '-i',
      'sine=sample_rate=44100:duration=4',
    ];
    const codecs = ['-c:v', 'libx264', '-g', '25', '-bf', '0', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    film = await transcode('rtmp.mp4', [...sources, ...codecs]);
    server = await liveServer(program);
  });
  afterAll(() => server.remove());
  const at = (path: string): string => `rtmp://127.0.0.1:${server.ports.rtmp}/${path}`;

  it('comes bit by bit as it was sent, and its key is shown nowhere', async () => {
    const publisher = await server.publish('open/a-secret-key', film);
    const found = await firstRun(at('open/a-secret-key'));
    const { stdout } = await run('ps', ['-eo', 'args']);
    const lines = stdout.split('\n').filter((line) => line.includes('-f nut') && line.includes('rtmp://'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).not.toMatch(new RegExp(`a-secret-key|${server.ports.rtmp}`));
    const received = await hashesOf(await readFor(found, 3), 'h264');
    const sent = await packetHashes(film, 'h264');
    expect(received.video.length).toBeGreaterThan(40);
    expect(received.audio.length).toBeGreaterThan(60);
    expect(isPieceOf(received.video, sent.video)).toBe(true);
    expect(isPieceOf(received.audio, sent.audio.slice(1))).toBe(true);
    await publisher.stop();
  });

  it('whose path nobody sends to may come later', async () => {
    await expect(firstRun(at('open/nothing'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('is refused with a password where RTMP has no place for it', async () => {
    const uri = `rtmp://me:secret@127.0.0.1:${server.ports.rtmp}/open/film`;
    await expect(firstRun(uri)).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.not.stringContaining('secret'),
    });
  });

  it('breaks when the server freezes or is killed', async () => {
    await server.publish('open/film', film);
    const found = await firstRun(at('open/film'), { idleTimeoutSeconds: 2 });
    setTimeout(() => server.freeze(), 300);
    await expect(readFor(found, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    server.thaw();
    const again = await firstRun(at('open/film'));
    setTimeout(() => void server.kill(), 300);
    await expect(readFor(again, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await expect(firstRun(at('open/film'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});
