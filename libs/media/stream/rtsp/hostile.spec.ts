import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PRIVATE_HOSTS } from '@adit/net/testing';
import type { ResolveHost } from '@adit/net';
import type { LiveRun } from '../live-run.js';
import { hashesOf, readFor } from '../testing/received.js';
import { RtspServer, soundDescription, soundPacket, type Reply, type SeenRequest } from '../testing/rtsp-server.js';
import { soundCamera as camera } from '../testing/sound-camera.js';
import { interleaved } from './message.js';
import { openRtsp, type RtspOptions } from './open-rtsp.js';

const servers: RtspServer[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function serve(answer: (request: SeenRequest, socket: Socket) => Reply): Promise<RtspServer> {
  const server = await RtspServer.start(answer);
  servers.push(server);
  return server;
}

function options(more: Partial<RtspOptions> = {}): RtspOptions {
  return {
    ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ signal: new AbortController().signal, idleTimeoutSeconds: 2, ...more },
  };
}

async function firstRun(uri: string, more?: Partial<RtspOptions>): Promise<LiveRun> {
  const { value } = await openRtsp(uri, options(more)).next();
  if (value === undefined) throw new Error('There was no run.');
  return value as LiveRun;
}

async function failure(uri: string, more?: Partial<RtspOptions>): Promise<{ code?: string; message: string }> {
  try {
    (await firstRun(uri, more)).body.on('error', () => undefined).destroy();
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error('It could be read.');
}

async function hearing(found: LiveRun): Promise<number> {
  return (await hashesOf(await readFor(found, 0.5), 'none')).audio.length;
}

describe('an address that must not be reached', () => {
  it.each(['rtsp', 'rtsps'])('is refused in %s://, however it is written', async (scheme) => {
    const reached: string[] = [];
    for (const host of PRIVATE_HOSTS) {
      const { code } = await failure(`${scheme}://${host}/stream`, { allowPrivateAddresses: [] });
      if (code !== 'SOURCE_REFUSED' && code !== 'VALIDATION') reached.push(`${host} (${code})`);
    }
    expect(reached).toEqual([]);
    expect(PRIVATE_HOSTS.length).toBeGreaterThanOrEqual(60);
  });

  it('is refused behind a name, with any of its addresses', async () => {
    const server = await serve(camera());
    const resolveHost: ResolveHost = () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    expect(await failure(`rtsp://camera.test:${server.port}/`, { resolveHost })).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.not.stringContaining('10.0'),
    });
    expect(server.connections).toBe(0);
  });

  it.each([301, 302, 303, 305])('is refused after a redirect with status %i', async (status) => {
    const inner = await serve(camera());
    const targets = ['rtsp://[::1]', 'rtsp://localhost', 'rtsp://10.0.0.1', 'rtsp://0x0a000001', 'rtsp://127.2'];
    for (const target of targets) {
      const Location = `${target}:${inner.port}/secret`;
      const server = await serve(
        camera(({ method }) => (method === 'DESCRIBE' ? { status, headers: { Location } } : null)),
      );
      const { code } = await failure(`${server.url}/`, {
        resolveHost: () => Promise.resolve([{ address: '::1', family: 6 }]),
      });
      expect([target, code]).toEqual([target, 'SOURCE_REFUSED']);
    }
    expect(inner.connections).toBe(0);
  });

  it('is refused where the server sends the reader elsewhere in the middle', async () => {
    const inner = await serve(camera());
    const server = await serve(
      camera((request, socket) => {
        if (request.method === 'PLAY') {
          const Location = `rtsp://127.0.0.2:${inner.port}/`;
          setTimeout(
            () => socket.write(`REDIRECT ${request.url} RTSP/1.0\r\nCSeq: 9\r\nLocation: ${Location}\r\n\r\n`),
            300,
          );
        }
        return null;
      }),
    );
    const runs = openRtsp(`${server.url}/`, options());
    const { value } = await runs.next();
    await readFor(value as LiveRun, 60);
    await expect(runs.next()).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
    expect(inner.connections).toBe(0);
  });

  it('is never connected to for what a description says', async () => {
    const inner = await serve(camera());
    const elsewhere = `rtsp://localhost:${inner.port}/inner`;
    const server = await serve(
      camera(({ method, url }) => {
        if (method === 'DESCRIBE') {
          const headers = {
            'Content-Base': elsewhere,
            'Content-Location': elsewhere,
            'Content-Type': 'application/sdp',
          };
          return {
            headers,
            body: soundDescription(`${elsewhere}/track1`, [`a=control:${elsewhere}`, 'c=IN IP4 10.0.0.1']),
          };
        }
        return method === 'PLAY' ? null : url.includes('localhost') ? { status: 400 } : null;
      }),
    );
    expect(await hearing(await firstRun(`${server.url}/outer`))).toBeGreaterThan(10);
    expect(inner.connections).toBe(0);
    expect(server.connections).toBe(1);
    for (const { url } of server.seen) expect(url).toMatch(new RegExp(`^${server.url}/`));
    expect(server.seen.find(({ method }) => method === 'SETUP')?.url).toBe(`${server.url}/inner/track1`);
  });

  it('sends no datagrams here, and gets none, whatever a server says of source and destination', async () => {
    const media = createSocket('udp4').bind(0, '127.0.0.1');
    const foreign = createSocket('udp4').bind(0, '127.0.0.2');
    const stranger = createSocket('udp4').bind(0, '127.0.0.3');
    await Promise.all([media, foreign, stranger].map((socket) => once(socket, 'listening')));
    const got: number[] = [];
    foreign.on('message', (message) => got.push(message.length));
    const { port } = media.address() as AddressInfo;
    let timer: NodeJS.Timeout | undefined;
    const server = await serve(
      camera(({ method, headers }) => {
        if (method !== 'SETUP') return method === 'PLAY' ? {} : null;
        const client = Number(/client_port=(\d+)/.exec(headers['transport'] ?? '')?.[1]);
        let sequence = 0;
        timer = setInterval(() => {
          media.send(soundPacket(sequence), client, '127.0.0.1');
          // The same numbers with other sound, before and after.
          for (const ahead of [0, 1]) {
            const forged = soundPacket(sequence + ahead).fill(0xee, 12);
            stranger.send(forged, client, '127.0.0.1');
          }
          sequence++;
        }, 5);
        const Transport = `RTP/AVP;unicast;source=127.0.0.2;destination=127.0.0.2;client_port=${client}-${client + 1};server_port=${port}-${(foreign.address() as AddressInfo).port}`;
        return { headers: { Session: '1', Transport } };
      }),
    );
    try {
      const found = await firstRun(`${server.url}/`, { transport: 'udp' });
      const { audio } = await hashesOf(await readFor(found, 0.5), 'none');
      expect(audio.length).toBeGreaterThan(10);
      const hash = (sequence: number): string =>
        createHash('md5').update(soundPacket(sequence).subarray(12)).digest('hex');
      const expected = new Set(Array.from({ length: 128 }, (_, sequence) => hash(sequence)));
      expect(audio.every((each) => expected.has(each))).toBe(true);
      expect(got).toEqual([]);
    } finally {
      clearInterval(timer);
      for (const socket of [media, foreign, stranger]) socket.close();
    }
  });
});

describe('a server of RTSP', () => {
  it('may redirect to a permitted address, which does not get the password', async () => {
    const target = await serve(camera());
    const Location = `${target.url}/there`;
    const server = await serve(
      camera(({ method, headers }): Reply | null => {
        if (headers['authorization'] === undefined)
          return { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="x"' } };
        return method === 'DESCRIBE' ? { status: 302, headers: { Location } } : null;
      }),
    );
    const found = await firstRun(`rtsp://me:secret@127.0.0.1:${server.port}/here`);
    expect(await hearing(found)).toBeGreaterThan(10);
    expect(server.seen.some(({ headers }) => headers['authorization'] !== undefined)).toBe(true);
    expect(target.seen.map(({ headers }) => headers['authorization']).filter(Boolean)).toEqual([]);
    expect(target.seen.at(0)?.url).toBe(`${target.url}/there`);
  });

  it('that redirects in a circle is refused', async () => {
    const server: RtspServer = await serve(
      camera(({ method }) => (method === 'DESCRIBE' ? { status: 302, headers: { Location: `${server.url}/` } } : null)),
    );
    expect(await failure(`${server.url}/`)).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('5 times'),
    });
    expect(server.connections).toBe(6);
  });

  it('may move the reader to another address while it plays', async () => {
    const target = await serve(camera());
    const server = await serve(
      camera((request, socket) => {
        const redirect = `REDIRECT ${request.url} RTSP/1.0\r\nCSeq: 9\r\nLocation: ${target.url}/\r\n\r\n`;
        if (request.method === 'PLAY') setTimeout(() => socket.write(redirect), 300);
        return null;
      }),
    );
    const runs = openRtsp(`${server.url}/`, options());
    const first = await runs.next();
    await readFor(first.value as LiveRun, 60);
    const second = await runs.next();
    expect(second.value).toMatchObject({ gap: expect.stringContaining('moved') });
    expect(await hearing(second.value as LiveRun)).toBeGreaterThan(10);
    await runs.return(undefined);
  });

  it.each([
    ['MD5', 'Digest realm="r", nonce="n1"', 'md5'],
    ['MD5 with qop', 'Digest realm="r", nonce="n1", qop="auth", opaque="o"', 'md5'],
    ['SHA-256', 'Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256', 'sha256'],
  ])('gets a digest of %s', async (_title, challenge, algorithm) => {
    const h = (...texts: string[]): string => createHash(algorithm).update(texts.join(':')).digest('hex');
    const isRight = ({ method, headers }: SeenRequest): boolean => {
      const value = headers['authorization'] ?? '';
      const field = (name: string): string => new RegExp(`\\b${name}="?([^",]*)`).exec(value)?.[1] ?? '';
      const middle = challenge.includes('qop') ? [field('nc'), field('cnonce'), 'auth'] : [];
      return field('response') === h(h('me', 'r', 'p:w'), 'n1', ...middle, h(method, field('uri')));
    };
    const server = await serve(
      camera((request) => (isRight(request) ? null : { status: 401, headers: { 'WWW-Authenticate': challenge } })),
    );
    expect(await hearing(await firstRun(`rtsp://me:p%3Aw@127.0.0.1:${server.port}/`))).toBeGreaterThan(10);
    expect(server.seen.filter(({ headers }) => headers['authorization'] === undefined)).toHaveLength(1);
    const wrong = await failure(`rtsp://me:other@127.0.0.1:${server.port}/`);
    expect(wrong).toMatchObject({ code: 'SOURCE_REFUSED', message: expect.stringContaining('does not accept') });
  });

  it('gets a new digest when its nonce has grown old', async () => {
    let asked = 0;
    const server = await serve(
      camera(({ headers }) => {
        const isOld = headers['authorization']?.includes(`n${Math.floor(asked / 2)}"`) !== true;
        asked++;
        return isOld
          ? {
              status: 401,
              headers: { 'WWW-Authenticate': `Digest realm="r", nonce="n${Math.floor(asked / 2)}", stale=true` },
            }
          : null;
      }),
    );
    expect(await hearing(await firstRun(`rtsp://me:pass@127.0.0.1:${server.port}/`))).toBeGreaterThan(10);
  });

  it.each([
    [403, 'SOURCE_REFUSED'],
    [404, 'SOURCE_UNAVAILABLE'],
    [415, 'SOURCE_REFUSED'],
    [453, 'SOURCE_UNAVAILABLE'],
    [500, 'SOURCE_UNAVAILABLE'],
    [503, 'SOURCE_UNAVAILABLE'],
  ])('that answers %i makes %s', async (status, code) => {
    for (const failing of ['DESCRIBE', 'SETUP', 'PLAY']) {
      const server = await serve(camera(({ method }) => (method === failing ? { status } : null)));
      expect(await failure(`rtsp://me:p4ss@127.0.0.1:${server.port}/a?key=k3y`)).toMatchObject({
        code,
        message: expect.not.stringMatching(/p4ss|k3y/),
      });
    }
  });

  it('may refuse OPTIONS, send packets before it answers, and use other channels', async () => {
    const server = await serve(
      camera((request, socket) => {
        if (request.method === 'OPTIONS') return { status: 405 };
        if (request.method === 'SETUP') {
          return { headers: { Session: '1', Transport: 'RTP/AVP/TCP;unicast;interleaved=6-7' } };
        }
        if (request.method !== 'PLAY') return null;
        for (let sequence = 0; sequence < 50; sequence++) socket.write(interleaved(6, soundPacket(sequence)));
        socket.write(interleaved(3, soundPacket(999)));
        setTimeout(() => socket.end(), 300);
        return {};
      }),
    );
    const body: Buffer[] = [];
    const found = await firstRun(`${server.url}/`);
    await expect(
      (async () => {
        for await (const piece of found.body) body.push(piece as Buffer);
      })(),
    ).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect((await hashesOf(Buffer.concat(body), 'none')).audio).toHaveLength(50);
  });

  it('that says goodbye ends the run without an error', async () => {
    const server = await serve(
      camera(({ method }, socket) => {
        if (method !== 'PLAY') return null;
        for (let sequence = 0; sequence < 50; sequence++) socket.write(interleaved(0, soundPacket(sequence)));
        setTimeout(() => socket.write(interleaved(1, Buffer.from([0x81, 203, 0, 1, 0, 0, 0, 7]))), 300);
        return {};
      }),
    );
    const runs = openRtsp(`${server.url}/`, options());
    const { value } = await runs.next();
    expect((await hashesOf(await readFor(value as LiveRun, 60), 'none')).audio).toHaveLength(50);
    expect(await runs.next()).toEqual({ done: true, value: undefined });
  });

  it('is asked before it takes the reader for gone, for as long as it is read', async () => {
    const server = await serve(
      camera(({ method }) => {
        if (method !== 'SETUP') return null;
        return { headers: { Session: '123;timeout=2', Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' } };
      }),
    );
    await readFor(await firstRun(`${server.url}/`), 3.5);
    const played = server.seen.findIndex(({ method }) => method === 'PLAY');
    const later = server.seen.slice(played + 1).filter(({ method }) => method !== 'TEARDOWN');
    expect(later.length).toBeGreaterThanOrEqual(2);
    expect(later[0]?.method).toMatch(/^(OPTIONS|GET_PARAMETER)$/);
  });

  it('that does not answer is read on while it sends, and its late answer is no other request’s', async () => {
    const server = await serve(
      camera(({ method, headers }, socket) => {
        if (method === 'SETUP') {
          return { headers: { Session: '123;timeout=2', Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' } };
        }
        if (method !== 'OPTIONS' && method !== 'GET_PARAMETER') return null;
        if (headers['session'] === undefined) return null;
        setTimeout(() => socket.write(`RTSP/1.0 454 Late\r\nCSeq: ${headers['cseq']}\r\n\r\n`), 1500);
        return 'silence';
      }),
    );
    const bytes = await readFor(await firstRun(`${server.url}/`, { idleTimeoutSeconds: 1 }), 5);
    // A packet each 5 ms of 20 ms of sound.
    expect(bytes.length).toBeGreaterThan(160 * 500);
    expect(server.connections).toBe(1);
  });

  it('that sends what is no RTP in the middle may be read again later', async () => {
    const server = await serve(
      camera(({ method }, socket) => {
        if (method === 'PLAY') setTimeout(() => socket.write('nonsense\r\n\r\n'), 300);
        return null;
      }),
    );
    const found = await firstRun(`${server.url}/`);
    await expect(readFor(found, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('is told when the reader leaves', async () => {
    const server = await serve(camera());
    const { body } = await firstRun(`${server.url}/`);
    body.destroy();
    await once(body, 'close');
    await sleep(50);
    expect(server.seen.at(-1)).toMatchObject({ method: 'TEARDOWN', headers: { session: '123' } });
    expect(server.sockets.size).toBe(0);
  });

  it.each<[string, Reply]>([
    ['says nothing', 'silence'],
    ['closes the connection', 'close'],
    ['speaks HTTP', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
    ['speaks nothing known', Buffer.alloc(10_000, 0xff)],
    ['sends headers without end', Buffer.from(`RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`)],
    ['announces too much', Buffer.from('RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n')],
    ['announces less than nothing', Buffer.from('RTSP/1.0 200 OK\r\nContent-Length: -5\r\n\r\n')],
    ['describes nothing', { body: 'v=0\r\n' }],
    ['describes too much', { body: soundDescription('a').concat('m=audio 0 RTP/AVP 0\r\n'.repeat(100)) }],
    ['breaks lines in an address', { body: soundDescription('a b') }],
  ])('that %s is refused or cannot be read', async (_title, reply) => {
    const server = await serve(camera(({ method }) => (method === 'DESCRIBE' ? reply : null)));
    const { code } = await failure(`${server.url}/`, { idleTimeoutSeconds: 1 });
    expect(['SOURCE_REFUSED', 'SOURCE_UNAVAILABLE']).toContain(code);
  });
});
