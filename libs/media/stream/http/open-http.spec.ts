/** @needs ffmpeg */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { PRIVATE_HOSTS } from '@adit/net/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ffmpegPath } from '../../ffmpeg/ffmpeg-binary.js';
import { sourceFilm } from '../dash/testing/packager.js';
import { HlsServer } from '../hls/testing/hls-server.js';
import type { LiveOptions } from '../live-run.js';
import { openLive } from '../open-live.js';
import { packetHashes } from '../testing/received.js';

let folder: string;
let film: string;
let server: HlsServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-http-'));
  film = await sourceFilm(14);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  server = await HlsServer.start();
});
afterEach(() => server.stop());

/** What a stream showed, and the error that it ended with. */
async function read(uri: string, more: Partial<LiveOptions> = {}): Promise<{ bytes: Buffer; error: AditError }> {
  const pieces: Buffer[] = [];
  const options: LiveOptions = {
    ...{ localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ idleTimeoutSeconds: 1, signal: new AbortController().signal },
    ...more,
  };
  try {
    for await (const run of openLive(uri, options)) {
      expect(run).toMatchObject({ container: 'mpegts', statedTime: null, gap: null });
      for await (const piece of run.body) pieces.push(piece as Buffer);
    }
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error: AditError.from(error) };
  }
  throw new Error('a stream has no end of its own');
}

/** Sends a film as MPEG-TS. */
async function send(
  response: ServerResponse,
  { input = [], output = [] }: { input?: string[]; output?: string[] } = {},
): Promise<void> {
  const args = ['-v', 'error', ...input, '-i', film, '-c', 'copy', ...output, '-f', 'mpegts', '-'];
  const child = spawn(await ffmpegPath(), args);
  response.writeHead(200, { 'content-type': 'video/mp2t' });
  child.stdout.pipe(response);
  response.once('close', () => child.kill());
}

describe('MPEG-TS over HTTP', () => {
  it.each([
    ['packets of 188 bytes', []],
    ['packets of 192 bytes', ['-mpegts_m2ts_mode', '1']],
  ])('is read whole, and breaks off where its connection closes: %s', async (_what, args) => {
    server.pages.set('/live', (_request, response) => void send(response, { output: args }));
    const { bytes, error } = await read(server.at('/live'), { idleTimeoutSeconds: 10 });
    expect(error).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringMatching(/connection was closed/),
    });
    const path = join(folder, 'run.ts');
    await writeFile(path, bytes);
    expect((await packetHashes(path, 'h264')).video).toEqual((await packetHashes(film, 'h264')).video);
    expect(server.asked).toEqual(['/live']);
  });

  it('gives what has come before it falls silent', async () => {
    const packets = Buffer.alloc(188 * 400, 0x47);
    server.pages.set('/live', (_request, response) => void response.writeHead(200).write(packets));
    const { bytes, error } = await read(server.at('/live'));
    expect(bytes).toEqual(packets);
    expect(error).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringMatching(/sends nothing for 1 s/),
    });
  });

  it('says a password to its own server, and follows redirects without it', async () => {
    const said: (string | undefined)[] = [];
    const other = await HlsServer.start();
    try {
      server.pages.set('/live', (request, response) => {
        said.push(request.headers.authorization);
        response.writeHead(302, { location: other.at('/token') }).end();
      });
      other.pages.set('/token', (request, response) => {
        said.push(request.headers.authorization);
        response.writeHead(200).write(Buffer.alloc(188 * 40, 0x47), () => response.destroy());
      });
      const { bytes } = await read(server.at('/live').replace('//', '//user:hunter2@'));
      expect(bytes.length).toBe(188 * 40);
      expect(said).toEqual([`Basic ${Buffer.from('user:hunter2').toString('base64')}`, undefined]);
    } finally {
      await other.stop();
    }
  });

  describe('by SHOUTcast 1', () => {
    const packets = Buffer.alloc(188 * 400, 0x47);
    /** Answers with pieces, one after the other, and closes the connection. */
    const station = async (pieces: readonly (string | Buffer)[], use: (address: string) => Promise<void>) => {
      const radio = createServer((socket) => {
        socket.on('error', () => undefined);
        const answer = async (): Promise<void> => {
          for (const piece of pieces) {
            socket.write(piece);
            await wait(50);
          }
          socket.end();
        };
        socket.once('data', () => void answer());
      });
      await new Promise<void>((resolve) => radio.listen(0, '127.0.0.1', resolve));
      try {
        await use(`http://127.0.0.1:${(radio.address() as AddressInfo).port}/`);
      } finally {
        await new Promise((resolve) => radio.close(resolve));
      }
    };
    const head = 'ICY 200 OK\r\nicy-notice1:<BR>Winamp\r\nicy-name:Radio\r\ncontent-type:audio/mpeg\r\n\r\n';

    it.each([
      ['at once', [head, packets]],
      ['in pieces', ['I', head.slice(1, 3), head.slice(3), packets]],
    ])('is read: %s', async (_what, pieces) => {
      await station(pieces, async (address) => expect((await read(address)).bytes).toEqual(packets));
    });

    it('says what is wrong', async () => {
      await station(['ICY 401 Service Unavailable\r\n\r\n'], async (address) =>
        expect((await read(address)).error.message).toMatch(/password is not accepted/),
      );
    });
  });

  it('ends at once when nobody reads it any more', async () => {
    let isOpen = false;
    server.pages.set('/live', (_request, response) => {
      isOpen = true;
      response.once('close', () => (isOpen = false));
      void send(response, { input: ['-re'] });
    });
    const signal = new AbortController();
    setTimeout(() => signal.abort(new AditError('CONFLICT', 'stopped')), 1500);
    await read(server.at('/live'), { signal: signal.signal, idleTimeoutSeconds: 10 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isOpen).toBe(false);
  });

  it.each([
    [
      'a file',
      (response: ServerResponse) => response.end(Buffer.alloc(188 * 40, 0x47)),
      'SOURCE_REFUSED',
      /file of 7520 bytes/,
    ],
    ['a page', (response: ServerResponse) => response.write('<html>'.repeat(500)), 'SOURCE_REFUSED', /no MPEG-TS/],
    [
      'a playlist',
      (response: ServerResponse) => response.write(`#EXTM3U\n${'#\n'.repeat(999)}`),
      'SOURCE_REFUSED',
      /\.m3u8/,
    ],
    ['a manifest', (response: ServerResponse) => response.write(`<MPD>${' '.repeat(2000)}`), 'SOURCE_REFUSED', /\.mpd/],
    [
      'a little',
      (response: ServerResponse) => response.write('x', () => response.destroy()),
      'SOURCE_UNAVAILABLE',
      /./,
    ],
    ['nothing', () => undefined, 'SOURCE_UNAVAILABLE', /nothing for/],
    [
      'no entry',
      (response: ServerResponse) => response.writeHead(401).end(),
      'SOURCE_REFUSED',
      /password is not accepted/,
    ],
    ['no stream yet', (response: ServerResponse) => response.writeHead(404).end(), 'SOURCE_UNAVAILABLE', /status 404/],
    [
      'an inner address',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'SOURCE_REFUSED',
      /not a public address/,
    ],
  ])('%s is no stream', async (_what, answer, code, message) => {
    server.pages.set('/live', (_request, response) => void answer(response));
    const { error } = await read(server.at('/live'));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it(`is not read from ${PRIVATE_HOSTS.length} private addresses`, async () => {
    for (const host of PRIVATE_HOSTS) {
      const { error } = await read(`http://${host}/live`, { allowPrivateAddresses: [] });
      expect([host, error.code]).toEqual([host, 'SOURCE_REFUSED']);
    }
  });
});
