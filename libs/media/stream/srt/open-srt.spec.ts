/** @needs ffmpeg, servers */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PRIVATE_HOSTS } from '@adit/net/testing';
import { describeLive, liveServer, numberedFilm, SRT_PASSPHRASE, transcode, type LiveServer } from '@adit/testing';
import { hashesOf, isPieceOf, packetHashes, readFor } from '../testing/received.js';
import { HANDSHAKE, writeHandshake } from './handshake.js';
import { CONTROL, controlPacket } from './packets.js';
import { BadNetwork } from './testing/bad-network.js';
import { firstRun, readAll } from './testing/runs.js';
import { describeLibsrt, freeUdpPort, SrtSender } from './testing/srt-program.js';

/** @hardening privacy: An SRT address reaches the internal network (SSRF) */
it('srt:// is refused where its host is not public, however it is written', async () => {
  for (const host of PRIVATE_HOSTS) {
    const opened = firstRun(`srt://${host}:9000?streamid=a`, { allowPrivateAddresses: [] });
    await expect(opened).rejects.toMatchObject({ code: expect.stringMatching(/^(SOURCE_REFUSED|VALIDATION)$/) });
  }
});

await describeLive('a stream over SRT from a server', (program) => {
  let server: LiveServer;
  let film: string;
  beforeAll(async () => {
    const sources = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 4 })];
    const sound = ['-f', 'lavfi', '-i', 'sine=sample_rate=44100:duration=4'];
    const codecs = ['-c:v', 'libx264', '-g', '25', '-bf', '0', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    film = await transcode('srt.mp4', [...sources, ...sound, ...codecs]);
    server = await liveServer(program);
  });
  afterAll(() => server.remove());
  const at = (query: string): string => `srt://127.0.0.1:${server.ports.srt}?${query}`;
  const secret = encodeURIComponent(SRT_PASSPHRASE);

  it.each([
    ['as it was sent', 'open/film', 'streamid=read:open/film'],
    ['encrypted with a passphrase', 'sealed/film', `streamid=read:sealed/film&passphrase=${secret}`],
    ['with a key of 32 bytes', 'sealed/film', `streamid=read:sealed/film&passphrase=${secret}&pbkeylen=32`],
    ['with a user name and a password', 'cam', 'streamid=read:cam:viewer:p%40ss%23w0rd&latency=80'],
  ])('comes %s', async (_, path, query) => {
    const publisher = await server.publish(path, film);
    const found = await firstRun(at(query));
    expect(found.container).toBe('mpegts');
    const received = await hashesOf(await readFor(found, 3), 'h264');
    const sent = await packetHashes(film, 'h264');
    expect(received.video.length).toBeGreaterThan(40);
    expect(isPieceOf(received.video.slice(0, -1), sent.video)).toBe(true);
    expect(found.lostPackets?.()).toBe(0);
    await publisher.stop();
  });

  it.each([
    ['a wrong passphrase', 'streamid=read:sealed/film&passphrase=another-passphrase'],
    ['no passphrase where one is wanted', 'streamid=read:sealed/film'],
    ['a stream id that the server cannot read', 'streamid=nonsense'],
    ['a wrong password', 'streamid=read:cam:viewer:wrong-password'],
    ['a path that nobody sends to', 'streamid=read:open/nothing'],
  ])('does not come for %s, which this server does not tell from others', async (_, query) => {
    const publisher = await server.publish(/read:([^&:]*)/.exec(query)?.[1]?.replace(/nothing/, 'film') ?? 'cam', film);
    const opening = firstRun(at(query));
    await expect(opening).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringMatching(/gives no reason: .* \(code 1002\)/),
    });
    await expect(opening).rejects.not.toThrow(/passphrase=|wrong-password|streamid/);
    await publisher.stop();
  });

  it('is refused with a passphrase where none is wanted', async () => {
    const publisher = await server.publish('open/film', film);
    await expect(firstRun(at(`streamid=read:open/film&passphrase=${secret}`))).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('or the server wants none'),
    });
    await publisher.stop();
  });

  it('breaks when the server freezes or is killed', async () => {
    await server.publish('open/film', film);
    const found = await firstRun(at('streamid=read:open/film'), { idleTimeoutSeconds: 2 });
    setTimeout(() => server.freeze(), 300);
    await expect(readFor(found, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    server.thaw();
    const again = await firstRun(at('streamid=read:open/film'));
    setTimeout(() => void server.kill(), 300);
    await expect(readFor(again, 60)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await expect(firstRun(at('streamid=read:open/film'))).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});

await describeLibsrt('a stream over SRT from libsrt', () => {
  let folder: string;
  let film: string;
  const senders: SrtSender[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-srt-'));
    film = await transcode('srt-5m.ts', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=25,noise=alls=12:allf=t', '-t', '6'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '5M', '-maxrate', '5M', '-bufsize', '2M', '-g', '25'],
    ]);
  });
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Starts a sender; what it has sent is there once it has ended. */
  async function send(url: string): Promise<() => Promise<Buffer>> {
    const copy = join(folder, `sent-${senders.length}.ts`);
    const sender = await SrtSender.start(film, copy, url);
    senders.push(sender);
    return () => sender.ended.then(() => readFile(copy));
  }

  it.each([
    ['', '', ''],
    // The sender changes its key each 500 packets.
    [', encrypted', '&passphrase=0123456789&pbkeylen=24&kmrefreshrate=500&kmpreannounce=200', '&passphrase=0123456789'],
  ])('comes whole over a network that loses, doubles and swaps packets%s', async (_, theirs, ours) => {
    const port = await freeUdpPort();
    const sent = await send(`srt://127.0.0.1:${port}?mode=listener&latency=2000000&linger=3${theirs}`);
    const network = await BadNetwork.before(port, { dropped: 0.02, doubled: 0.02, late: 0.05, seed: 7 });
    const found = await firstRun(`srt://127.0.0.1:${network.port}?latency=2000${ours}`);
    const { bytes, error } = await readAll(found);
    network.close();
    // The farewell of the sender may be lost, too.
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', message: expect.stringMatching(/closed|sends nothing/) });
    expect(network.dropped).toBeGreaterThan(20);
    expect(found.lostPackets?.()).toBe(0);
    expect(sha256(bytes)).toBe(sha256(await sent()));
    expect(bytes.length).toBeGreaterThan(2e6);
  });

  it.each([
    ['a wrong passphrase', '?passphrase=1234567890', /passphrase is wrong/],
    ['none where one is wanted', '', /only one end has a passphrase/],
  ])('is refused for %s', async (_, query, message) => {
    const port = await freeUdpPort();
    await send(`srt://127.0.0.1:${port}?mode=listener&passphrase=0123456789`);
    const opening = async (): Promise<unknown> => {
      for (const end = Date.now() + 10_000; ; await sleep(100)) {
        const error: unknown = await firstRun(`srt://127.0.0.1:${port}${query}`).catch((fault: unknown) => fault);
        // Until it listens, the system refuses.
        if (!(error instanceof Error) || !error.message.includes('ECONNREFUSED') || Date.now() > end) return error;
      }
    };
    expect(await opening()).toMatchObject({ code: 'SOURCE_REFUSED', message: expect.stringMatching(message) });
  });

  it('is waited for, and comes whole from the caller that knows the passphrase and the stream id', async () => {
    const port = await freeUdpPort();
    const allowed = { srtListenPorts: [String(port)], idleTimeoutSeconds: 10 };
    const url = `srt://127.0.0.1:${port}?mode=caller&linger=3`;
    const opening = firstRun(`srt://:${port}?mode=listener&passphrase=0123456789&streamid=studio/1`, allowed);
    opening.catch(() => undefined);
    expect(await repliesTo(port)).toBe(1);
    for (const wrong of ['', '&passphrase=1234567890&streamid=studio/1', '&passphrase=0123456789&streamid=studio/2']) {
      await send(url + wrong);
      await senders.at(-1)?.ended;
    }
    await expect(firstRun(`srt://:${port}?mode=listener&passphrase=0123456789`, allowed)).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('in use'),
    });
    const sent = await send(`${url}&passphrase=0123456789&streamid=studio/1`);
    const found = await opening;
    const { bytes, error } = await readAll(found);
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', message: expect.stringContaining('closed') });
    expect(sha256(bytes)).toBe(sha256(await sent()));
    expect(found.lostPackets?.()).toBe(0);
  });
});

/**
 * Sends what no caller sends, conclusions without the cookie of an induction, and one induction; returns how many answers
 * come.
 */
async function repliesTo(port: number): Promise<number> {
  const socket = createSocket('udp4');
  let replies = 0;
  socket.on('message', () => replies++);
  const extensions = [{ type: 1, body: Buffer.alloc(12) }];
  const fields = { version: 5, encryption: 0, extensionField: 1, sequence: 0, window: 1, socketId: 5, cookie: 1 };
  const body = writeHandshake({ ...fields, type: HANDSHAKE.conclusion, extensions });
  for (let i = 0; i < 500; i++) {
    socket.send(randomBytes(i * 3), port, '127.0.0.1');
    socket.send(controlPacket({ type: CONTROL.handshake, body, timestamp: i, to: 0 }), port, '127.0.0.1');
    if (i % 50 === 0) await sleep(5);
  }
  const induction = writeHandshake({ ...fields, type: HANDSHAKE.induction, extensions: [] });
  socket.send(controlPacket({ type: CONTROL.handshake, body: induction, timestamp: 0, to: 0 }), port, '127.0.0.1');
  await sleep(200);
  socket.close();
  return replies;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
