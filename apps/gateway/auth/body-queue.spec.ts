import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import createFastify, { type FastifyInstance } from 'fastify';
import { BodyQueue } from './body-queue.js';

const LENGTH = 100_000;
/** Bytes sent of a body that stops in the middle. */
const BEGUN = 50_000;

let fastify: FastifyInstance;
let queue: BodyQueue;
let now: number;
/** Names of requests: that came, and whose body was read whole, in their order. */
let asked: string[];
let read: string[];
/** Bytes of bodies that were read. */
let bytes: number;
let happened: EventEmitter;
let sockets: Socket[];

beforeEach(async () => {
  [now, asked, read, bytes, happened, sockets] = [0, [], [], 0, new EventEmitter(), []];
  queue = new BodyQueue(() => now);
  fastify = createFastify();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    payload.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      happened.emit('change');
    });
    payload.on('end', () => {
      read.push(request.url.slice(1));
      done(null, undefined);
    });
  });
  fastify.addHook('onRequest', async (request, reply) => {
    asked.push(request.url.slice(1));
    happened.emit('change');
    await queue.take('a client', request, reply);
  });
  fastify.post('/:name', async () => 'taken');
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await fastify.close();
});

async function until(is: () => boolean): Promise<void> {
  while (!is()) await once(happened, 'change');
}

/** Sends so much of a body; `answer` is the status of the reply. */
async function send(name: string, sent = LENGTH) {
  const socket = connect((fastify.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const answer = once(socket, 'data').then(([data]) => Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]));
  const head = `POST /${name} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${LENGTH}\r\n\r\n`;
  socket.write(head + 'x'.repeat(sent));
  await until(() => asked.includes(name));
  return { answer, end: () => socket.write('x'.repeat(LENGTH - sent)) };
}

/** Bodies that stop in the middle, as many as are read at a time, read as far as they have come. */
async function slowOnes(names = ['s1', 's2', 's3', 's4']) {
  const from = bytes;
  const slow = [];
  for (const name of names) slow.push(await send(name, BEGUN));
  await until(() => bytes === from + names.length * BEGUN);
  return slow;
}

describe('the queue of large bodies', () => {
  it('leaves every body its slot while nobody waits, and a steady body always', async () => {
    const slow = await slowOnes();
    now += 60_000;
    queue.interruptSlow();
    for (const one of slow) one.end();
    expect(await Promise.all(slow.map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);

    const steady = await slowOnes(['t1', 't2', 't3', 't4']);
    await send('waits');
    now += 700;
    queue.interruptSlow();
    for (const one of steady) one.end();
    await Promise.all(steady.map(({ answer }) => answer));
    expect(read.slice(4, 8).toSorted()).toEqual(['t1', 't2', 't3', 't4']);
  });

  it('gives the slot of a slow body to the next, and reads the slow one on later', async () => {
    const slow = await slowOnes();
    const [quick, another] = [await send('quick'), await send('another')];
    now += 2_000;
    queue.interruptSlow();
    expect(await Promise.all([quick.answer, another.answer])).toEqual([200, 200]);
    expect(read.toSorted()).toEqual(['another', 'quick']);
    for (const one of slow) one.end();
    expect(await Promise.all(slow.map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);
  });

  it('reads an interrupted body on only when it is first in the queue', async () => {
    const slow = await slowOnes();
    const others = [];
    for (const name of ['o1', 'o2', 'o3', 'o4']) others.push(await send(name, BEGUN));
    now += 2_000;
    queue.interruptSlow();
    await until(() => bytes === 8 * BEGUN);
    // Now the others have all places, and what the first ones send meanwhile waits.
    for (const one of slow) one.end();
    others[0]!.end();
    await others[0]!.answer;
    await slow[0]!.answer;
    expect(read[0]).toBe('o1');
    for (const one of others.slice(1)) one.end();
    const all = [...slow, ...others].map(({ answer }) => answer);
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
  });

  it('answers a slow body with an error when too many are interrupted', async () => {
    const slow = await slowOnes();
    for (let at = 0; at < 9; at += 1) slow.push(await send(`w${at}`, BEGUN));
    // Four give way, then four more; the next four would be kept half read, too.
    for (const reading of [8, 12]) {
      now += 2_000;
      queue.interruptSlow();
      await until(() => bytes === reading * BEGUN);
    }
    now += 2_000;
    queue.interruptSlow();
    const refused = slow.slice(8, 12).map(({ answer }) => answer);
    expect(await Promise.all(refused)).toEqual([408, 408, 408, 408]);
    const others = [...slow.slice(0, 8), ...slow.slice(12)];
    for (const one of others) one.end();
    expect(new Set(await Promise.all(others.map(({ answer }) => answer)))).toEqual(new Set([200]));
  });

  it('goes on when the client of an interrupted body goes away', async () => {
    const slow = await slowOnes();
    const quick = await send('quick', BEGUN);
    now += 2_000;
    queue.interruptSlow();
    await until(() => bytes === 5 * BEGUN);
    const [gone] = sockets;
    gone!.destroy();
    await once(gone!, 'close');
    quick.end();
    for (const one of slow.slice(1)) one.end();
    expect(await Promise.all([quick, ...slow.slice(1)].map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);
  });
});
