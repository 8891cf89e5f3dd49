import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startEcho } from './testing/echo-thread.js';
import type { EchoReply, EchoRequest } from './testing/echo-worker.js';
import { ThreadClient, type ThreadClientOptions } from './thread-client.js';

describe('a thread client', () => {
  let ended = 0;
  const client = (options: Partial<ThreadClientOptions> = {}) => {
    const made = new ThreadClient<EchoRequest, EchoReply>({
      start: startEcho,
      died: (cause) => new Error('It died.', { cause }),
      ended: () => (ended += 1),
      ...options,
    });
    clients.push(made);
    return made;
  };
  const clients: ThreadClient<EchoRequest, EchoReply>[] = [];
  afterEach(async () => {
    for (const each of clients.splice(0)) await each.close();
    ended = 0;
  });

  it('starts a thread on demand and hands out replies by their numbers', async () => {
    const thread = client();
    expect(thread.isRunning).toBe(false);
    const order: string[] = [];
    const ask = async (text: string, afterMs: number) => {
      const reply = await thread.request({ text, afterMs });
      order.push(reply.text);
      return reply.text;
    };
    expect(await Promise.all([ask('slow', 200), ask('quick', 0)])).toEqual(['slow', 'quick']);
    expect(order).toEqual(['quick', 'slow']);
    expect(thread.isRunning).toBe(true);
  });

  it('moves the memory of a request and of its reply', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const reply = await client().request({ text: 'a', bytes }, [bytes.buffer]);
    expect(bytes.byteLength).toBe(0);
    expect([...reply.bytes]).toEqual([1, 2, 3]);
  });

  it('sends requests without a reply in their order', async () => {
    const thread = client();
    for (const text of ['a', 'b']) thread.post({ text });
    expect(await thread.request({ text: 'c' })).toMatchObject({ count: 3 });
  });

  it('says why a request failed, and goes on', async () => {
    const thread = client();
    const named = client({ failed: (message) => new TypeError(`Refused: ${message}`) });
    await expect(thread.request({ text: 'a', then: 'fail' })).rejects.toThrow('No a.');
    await expect(named.request({ text: 'a', then: 'fail' })).rejects.toThrow(new TypeError('Refused: No a.'));
    expect(await thread.request({ text: 'b' })).toMatchObject({ text: 'b', count: 2 });
  });

  it('refuses what cannot be sent', async () => {
    const thread = client();
    const unsendable = { text: 'a', bytes: () => undefined } as unknown as EchoRequest;
    await expect(thread.request(unsendable)).rejects.toThrow('could not be cloned');
    expect(await thread.request({ text: 'b' })).toMatchObject({ text: 'b' });
  });

  it('tells whoever waits when the thread dies, and starts another for the next', async () => {
    const thread = client();
    const waiting = Promise.allSettled([thread.request({ text: 'a', then: 'exit' }), thread.request({ text: 'b' })]);
    expect(await waiting).toMatchObject([
      { status: 'rejected', reason: { message: 'It died.', cause: { message: 'it ended without an answer' } } },
      { status: 'rejected', reason: { message: 'It died.' } },
    ]);
    expect([thread.isRunning, ended]).toEqual([false, 1]);
    expect(await thread.request({ text: 'c' })).toMatchObject({ text: 'c', count: 1 });
  });

  it('dies of an error that nobody waits for', async () => {
    const thread = client();
    thread.post({ text: 'a', then: 'fail' });
    const waiting = thread.request({ text: 'b', afterMs: 60_000 });
    await expect(waiting).rejects.toMatchObject({ message: 'It died.', cause: { message: 'No a.' } });
  });

  it('tells whoever waits when it is closed', async () => {
    const thread = client();
    const [first, second] = [thread.request({ text: 'a' }), thread.request({ text: 'b' })];
    const refused = Promise.allSettled([first, second]);
    await thread.close();
    expect(await refused).toMatchObject(Array(2).fill({ status: 'rejected', reason: { code: 'UNAVAILABLE' } }));
    expect([thread.isRunning, ended]).toEqual([false, 1]);
    await thread.close();
    expect(ended).toBe(1);
    const own = expect(thread.request({ text: 'c' })).rejects.toThrow('Own words.');
    await thread.close(new Error('Own words.'));
    await own;
  });

  it('ends a thread that rests, not one that is asked again', async () => {
    const thread = client({ idleMs: 200 });
    for (let at = 1; at <= 3; at++) {
      expect(await thread.request({ text: 'a', afterMs: 150 })).toMatchObject({ count: at });
      await sleep(20);
    }
    for (let at = 0; thread.isRunning && at < 500; at++) await sleep(20);
    expect([thread.isRunning, ended]).toEqual([false, 1]);
    expect(await thread.request({ text: 'b' })).toMatchObject({ count: 1 });
  });

  it('ends a thread that takes too long', async () => {
    const thread = client({ limit: { ms: 3_000, error: () => new Error('Too long.') } });
    const endless = thread.request({ text: 'a', then: 'hang' });
    await expect(endless).rejects.toThrow('Too long.');
    expect(await thread.request({ text: 'b' })).toMatchObject({ text: 'b', count: 1 });
  });
});
