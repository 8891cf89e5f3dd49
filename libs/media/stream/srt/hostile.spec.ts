import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolveHost } from '@adit/net';
import { randomOf } from '@adit/testing';
import { FLAGS, HANDSHAKE, STREAM_FLAG, VERSION, writeAbilities, type Handshake } from './handshake.js';
import { Keys } from './key-material.js';
import { advanced, CONTROL, lossList, MAX_PACKET_BYTES, wordsOf } from './packets.js';
import { WINDOW_PACKETS } from './receive-window.js';
import { firstRun, readAll } from './testing/runs.js';
import { dataPacket, SrtPeer, type Answer } from './testing/srt-peer.js';

const peers: SrtPeer[] = [];
afterEach(() => peers.splice(0).forEach((peer) => peer.close()));

async function serve(answer?: Answer, passphrase?: string): Promise<SrtPeer> {
  const peer = await SrtPeer.start(answer, passphrase);
  peers.push(peer);
  return peer;
}

/** Of what must not be read. */
const FOREIGN = 2 ** 32 - 1;
const PASSPHRASE = '0123456789';

/** A payload that can be told from others. */
function numbered(number: number): Buffer {
  const payload = Buffer.alloc(188, number & 0xff);
  payload.writeUInt32BE(number);
  return payload;
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 188 }, (_, i) => bytes.readUInt32BE(i * 188));
}

/** Connects, and has the first packet sent, without which there is no run. */
async function opened(peer: SrtPeer, query = '', idleTimeoutSeconds = 2) {
  const opening = firstRun(`${peer.url}?${query}`, { idleTimeoutSeconds });
  opening.catch(() => undefined);
  await peer.untilAgreed();
  peer.data(numbered(0));
  const run = await opening;
  return { run, all: readAll(run) };
}

const conclusion =
  (change: (handshake: Handshake) => Partial<Handshake> | null): Answer =>
  (handshake) => {
    const changed = handshake.type === HANDSHAKE.conclusion ? change(handshake) : {};
    return changed && { ...handshake, ...changed };
  };
const abilities = (more: object) => ({
  type: 2,
  body: writeAbilities({ version: VERSION, flags: FLAGS, receiverDelay: 0, senderDelay: 0, ...more }),
});

describe('a server of SRT that answers a call', () => {
  it.each<[string, string, RegExp, Answer]>([
    ['with no answer', 'SOURCE_UNAVAILABLE', /nobody answers within 1 s/, () => null],
    ['and then not any more', 'SOURCE_UNAVAILABLE', /nobody answers/, conclusion(() => null)],
    ['as version 4 does', 'SOURCE_REFUSED', /before 1\.3/, (handshake) => ({ ...handshake, version: 4 })],
    ['without abilities', 'SOURCE_REFUSED', /before 1\.3/, conclusion(() => ({ extensions: [] }))],
    [
      'in file mode',
      'SOURCE_REFUSED',
      /file mode/,
      conclusion(() => ({ extensions: [abilities({ flags: FLAGS | STREAM_FLAG })] })),
    ],
    ['that the passphrase is wrong', 'SOURCE_REFUSED', /passphrase is wrong/, conclusion(() => ({ type: 1010 }))],
    [
      'that it wants a passphrase',
      'SOURCE_REFUSED',
      /only one end has a passphrase/,
      conclusion(() => ({ type: 1011 })),
    ],
    ['that it has no room', 'SOURCE_UNAVAILABLE', /no room/, conclusion(() => ({ type: 1003 }))],
    [
      'that there is no such stream',
      'SOURCE_UNAVAILABLE',
      /no stream of this stream id/,
      conclusion(() => ({ type: 2404 })),
    ],
    ['so, one thousand less', 'SOURCE_UNAVAILABLE', /no stream of this stream id/, conclusion(() => ({ type: 1404 }))],
    ['that it may not be read', 'SOURCE_REFUSED', /forbids/, conclusion(() => ({ type: 2403 }))],
    ['with an unknown number', 'SOURCE_REFUSED', /refuses it \(code 9999\)/, conclusion(() => ({ type: 9999 }))],
  ])('%s is told from others', async (_, code, message, answer) => {
    const peer = await serve(answer);
    const opening = firstRun(`${peer.url}?streamid=s3cret`, { idleTimeoutSeconds: 1 });
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(opening).rejects.not.toThrow('s3cret');
  });

  it.each([
    ['no key', []],
    ['that it has no passphrase', [{ type: 4, body: wordsOf([3]) }]],
    ['that ours is wrong', [{ type: 4, body: wordsOf([4]) }]],
    ['a key of another passphrase', [{ type: 4, body: new Keys('another passphrase').make(16) }]],
    ['what is no key', [{ type: 4, body: randomBytes(200) }]],
  ])('to a passphrase with %s is refused', async (_, extensions) => {
    const peer = await serve(conclusion(() => ({ extensions: [abilities({}), ...extensions] })));
    const opening = firstRun(`${peer.url}?passphrase=${PASSPHRASE}`);
    await expect(opening).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringMatching(/passphrase|AES/),
    });
  });

  it('is asked again when an answer is lost', async () => {
    let asked = 0;
    const peer = await serve((handshake) => (++asked % 2 === 1 ? null : handshake));
    const { run } = await opened(peer);
    expect(asked).toBeGreaterThanOrEqual(4);
    run.body.destroy();
  });

  it('is not there at all: the refusal of its machine is the answer', async () => {
    const peer = await SrtPeer.start();
    const { url } = peer;
    peer.close();
    await sleep(20);
    const began = performance.now();
    await expect(firstRun(url, { idleTimeoutSeconds: 30 })).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('stops with the signal, also before it has answered', async () => {
    const peer = await serve(() => null);
    const stop = new AbortController();
    const opening = firstRun(peer.url, { signal: stop.signal, idleTimeoutSeconds: 30 });
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(opening).rejects.toThrow('stopped');
  });

  /** @hardening privacy: The host name of an SRT address leads elsewhere when it is connected to (DNS rebinding) */
  it('is asked for under the address that was checked', async () => {
    const peer = await serve();
    let lookups = 0;
    const resolveHost: ResolveHost = () =>
      Promise.resolve([{ address: ++lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    const opening = firstRun(peer.url.replace('127.0.0.1', 'camera.test'), { resolveHost });
    await peer.untilAgreed();
    peer.data(numbered(0));
    (await opening).body.destroy();
    expect(lookups).toBe(1);
    const inner: ResolveHost = () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
    const refused = firstRun('srt://camera.test:9000', { resolveHost: inner });
    await expect(refused).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.not.stringContaining('10.0'),
    });
  });
});

describe('a server of SRT that sends', () => {
  it('in any order is read in order, and asked for what is missing', async () => {
    const peer = await serve();
    const { all } = await opened(peer, 'latency=2000');
    const first = peer.next;
    for (const i of [2, 5, 3]) peer.send(dataPacket(advanced(first, i), numbered(i + 1), peer.callerId));
    await sleep(300);
    const nak = peer.seen.get(CONTROL.nak);
    expect(nak?.last.subarray(16)).toEqual(
      lossList([
        [first, advanced(first, 1)],
        [advanced(first, 4), advanced(first, 4)],
      ]),
    );
    for (const i of [4, 1, 0, 0, 2]) peer.send(dataPacket(advanced(first, i), numbered(i + 1), peer.callerId));
    await sleep(50);
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    const { bytes, error } = await all;
    expect(numbersIn(bytes)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('too late leaves a hole, which is counted', async () => {
    const peer = await serve();
    const { run, all } = await opened(peer, 'latency=100');
    const late = peer.next;
    peer.next = advanced(peer.next, 3);
    peer.data(numbered(4));
    await sleep(300);
    peer.send(dataPacket(late, numbered(1), peer.callerId));
    peer.data(numbered(5));
    await sleep(50);
    expect(run.lostPackets?.()).toBe(3);
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    expect(numbersIn((await all).bytes)).toEqual([0, 4, 5]);
  });

  it('that it no longer has something is not waited for', async () => {
    const peer = await serve();
    const { run, all } = await opened(peer, 'latency=30000');
    const first = peer.next;
    peer.next = advanced(first, 100);
    peer.data(numbered(101));
    peer.control(CONTROL.dropRequest, wordsOf([first, advanced(first, 99)]));
    await sleep(50);
    expect(run.lostPackets?.()).toBe(100);
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    expect(numbersIn((await all).bytes)).toEqual([0, 101]);
  });

  it('nothing any more but signs of life breaks', async () => {
    const peer = await serve();
    const { all } = await opened(peer, '', 1);
    const alive = setInterval(() => peer.control(CONTROL.keepAlive, Buffer.alloc(4)), 50);
    const { error } = await all;
    clearInterval(alive);
    expect(error).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('sends nothing for 1 s'),
    });
  });

  it('without encryption to who has a passphrase breaks, and nothing of it is read', async () => {
    const peer = await serve();
    const opening = firstRun(`${peer.url}?passphrase=${PASSPHRASE}`, { idleTimeoutSeconds: 1 });
    opening.catch(() => undefined);
    await peer.untilAgreed();
    for (let i = 0; i < 20; i++) peer.data(numbered(i));
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('can be decrypted') });
  });

  it('in file mode is refused', async () => {
    const peer = await serve();
    const { all } = await opened(peer);
    peer.send(dataPacket(peer.next, numbered(1), peer.callerId, 0x8000_0001));
    expect((await all).error).toMatchObject({ code: 'SOURCE_REFUSED', message: expect.stringContaining('file mode') });
  });

  it('says goodbye when it is no longer read', async () => {
    const peer = await serve();
    const { run } = await opened(peer);
    run.body.destroy();
    await sleep(50);
    expect(peer.seen.get(CONTROL.shutdown)?.count).toBe(1);
  });

  /** @hardening privacy: Somebody else sends into a stream over SRT */
  it('is read alone: datagrams of others are ignored', async () => {
    const peer = await serve();
    const { all } = await opened(peer);
    const other = createSocket('udp4');
    const { port, address } = peer.from;
    const shutdown = Buffer.concat([wordsOf([0x8005_0000, 0, 0, peer.callerId]), Buffer.alloc(4)]);
    for (let i = 0; i < 10; i++) {
      other.send(dataPacket(advanced(peer.next, i), numbered(FOREIGN), peer.callerId), port, address);
      other.send(shutdown, port, address);
    }
    await sleep(50);
    for (let i = 1; i < 5; i++) peer.data(numbered(i));
    await sleep(50);
    other.close();
    // Of another connection.
    peer.send(dataPacket(peer.next, numbered(FOREIGN), peer.callerId + 1));
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    expect(numbersIn((await all).bytes)).toEqual([0, 1, 2, 3, 4]);
  });

  /** @hardening overload: A server of SRT sends what no server sends */
  it('whatever it likes is read on, and no answer is larger than a datagram', async () => {
    const peer = await serve(undefined, PASSPHRASE);
    const { all } = await opened(peer, `passphrase=${PASSPHRASE}`, 20);
    const random = randomOf(11);
    const below = (most: number): number => Math.floor(random() * most);
    for (let i = 0; i < 20_000; i++) {
      const body = randomBytes(below(random() < 0.5 ? 60 : 1500));
      const type = [0, 1, 2, 3, 4, 6, 7, 8, 0x7fff, 9, 0x1234][below(11)] ?? 0;
      if (random() < 0.2) peer.send(body);
      else peer.control(type, body, { subtype: below(6), info: below(2 ** 32) });
      if (i % 100 === 0) await sleep(1);
    }
    await sleep(100);
    expect(await Promise.race([all.then(() => 'ended'), sleep(10, 'lasts')])).toBe('lasts');
    for (const { largest } of peer.seen.values()) expect(largest).toBeLessThanOrEqual(MAX_PACKET_BYTES);
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    await all;
  });

  it('with absurd numbers and gaps is read on, within the window', async () => {
    const peer = await serve();
    const { run, all } = await opened(peer, 'latency=100');
    const first = peer.next;
    for (const ahead of [WINDOW_PACKETS, 2 ** 30, 2 ** 30 - 1, 2 ** 31 - 2, 2 ** 20, -1, -WINDOW_PACKETS])
      peer.send(dataPacket(advanced(first, ahead), numbered(FOREIGN), peer.callerId));
    for (let ahead = 1; ahead < WINDOW_PACKETS; ahead += 2) {
      peer.send(dataPacket(advanced(first, ahead), numbered(ahead + 1), peer.callerId));
      if (ahead % 99 === 0) await sleep(2);
    }
    // What is sent next follows all of it, also where it is read late.
    do peer.next = peer.acknowledged;
    while ((await sleep(400, peer.next)) !== peer.acknowledged || peer.next === first);
    const nak = peer.seen.get(CONTROL.nak);
    expect(nak?.largest).toBeLessThanOrEqual(MAX_PACKET_BYTES);
    await peer.stream(10, (i) => numbered(100_000 + i));
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    const numbers = numbersIn((await all).bytes);
    expect(numbers.includes(FOREIGN)).toBe(false);
    expect(numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0))).toBe(true);
    expect(numbers.slice(-10)).toEqual(Array.from({ length: 10 }, (_, i) => 100_000 + i));
    expect(run.lostPackets?.()).toBeGreaterThanOrEqual(WINDOW_PACKETS / 2);
  });

  /** @hardening overload: A server of SRT makes the receiver calculate */
  it('requests to drop and new keys without end costs little', async () => {
    const peer = await serve(undefined, PASSPHRASE);
    const { all } = await opened(peer, `passphrase=${PASSPHRASE}`, 10);
    const foreign = new Keys('another passphrase').make(32);
    const spent = process.cpuUsage();
    for (let i = 0; i < 5000; i++) {
      peer.control(CONTROL.dropRequest, wordsOf([peer.next, advanced(peer.next, WINDOW_PACKETS - 1)]));
      foreign.writeUInt32BE(i, 16);
      peer.control(CONTROL.extension, foreign, { subtype: 3 });
      if (i % 50 === 49) await sleep(1);
    }
    await sleep(100);
    const { user, system } = process.cpuUsage(spent);
    // Each of the 5000 keys would take a millisecond or more.
    expect((user + system) / 1e6).toBeLessThan(4);
    expect(peer.seen.get(CONTROL.extension)?.count).toBeLessThan(50);
    expect(peer.seen.get(CONTROL.extension)?.last.subarray(16)).toEqual(wordsOf([4]));
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    await all;
  });

  it('faster than it is read is left out beyond 16 MB, and counted', async () => {
    const peer = await serve();
    const opening = firstRun(peer.url, { idleTimeoutSeconds: 10 });
    await peer.untilAgreed();
    peer.data(numbered(0));
    const run = await opening;
    const payload = Buffer.alloc(1456);
    await peer.stream(13_000, () => payload);
    expect(run.lostPackets?.()).toBeGreaterThan(500);
    peer.control(CONTROL.shutdown, Buffer.alloc(4));
    const { bytes } = await readAll(run);
    expect(bytes.length).toBeLessThan(18e6);
    expect(bytes.length + (run.lostPackets?.() ?? 0) * 1456).toBe(188 + 13_000 * 1456);
  }, 30_000);
});
