import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { TextTokenizer } from './tokenizer.js';
import { TokenizerThread, type TokenizerSource } from './tokenizer-thread.js';

const Golden = z.object({
  clip: z.looseObject({
    tokenizer: z.looseObject({ model: z.looseObject({ vocab: z.record(z.string(), z.number()) }) }),
  }),
});
const { clip } = Golden.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'golden/tokenizers.json'), 'utf8')));

function source(digest: string, file: unknown = clip.tokenizer): TokenizerSource & { reads: number } {
  return {
    digest,
    reads: 0,
    async readFile(name) {
      if (name !== 'tokenizer.json') throw new Error(`${name} was asked for.`);
      this.reads += 1;
      return Buffer.from(JSON.stringify(file));
    },
  };
}

it('the tokenizer thread answers as a tokenizer does, reads each file once, and ends when idle', async () => {
  const thread = new TokenizerThread(100);
  const [one, other] = [source('one'), source('other')];
  const direct = TextTokenizer.read(Buffer.from(JSON.stringify(clip.tokenizer)));
  const texts = ['a red car', 'the quick brown fox', 'a red car'];
  const ids = await Promise.all(texts.map((text) => thread.encode(one, text, 77)));
  expect(ids).toEqual(texts.map((text) => direct.encode(text, 77)));
  expect(await thread.decode(other, ids[0]!)).toBe(direct.text(ids[0]!));
  expect([one.reads, other.reads]).toEqual([1, 1]);
  for (let i = 0; thread.isRunning && i < 100; i++) await sleep(50);
  expect(thread.isRunning).toBe(false);
  expect(await thread.encode(one, 'a red car', 77)).toEqual(ids[0]);
  expect(one.reads).toBe(2);
  for (let i = 0; thread.isRunning && i < 100; i++) await sleep(50);
}, 60_000);

it('the tokenizer thread reports an invalid file, and continues with others', async () => {
  const thread = new TokenizerThread(100);
  const wrong = await thread.encode(source('wrong', { hello: 1 }), 'a', 8).catch(AditError.from);
  expect(wrong).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(/^tokenizer\.json is not what/) });
  const missing = { digest: 'missing', readFile: () => Promise.reject(new AditError('NOT_FOUND', 'no file')) };
  await expect(thread.encode(missing, 'a', 8)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await thread.encode(source('good'), 'a red car', 77)).not.toHaveLength(0);
  for (let i = 0; thread.isRunning && i < 100; i++) await sleep(50);
}, 60_000);

it('the tokenizer thread stops a tokenizer that never ends, and continues with others', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const thread = new TokenizerThread();
  try {
    // Each one doubles the text, and splitting takes the square of its length.
    const normalizers = Array.from({ length: 24 }, () => ({
      type: 'Replace',
      pattern: { String: 'a' },
      content: 'aa',
    }));
    const endless = source('endless', {
      ...clip.tokenizer,
      normalizer: { type: 'Sequence', normalizers },
      pre_tokenizer: { type: 'Split', pattern: { Regex: 'a+b' }, behavior: 'Removed', invert: false },
    });
    const asked = thread.encode(endless, 'a', 8).catch(AditError.from);
    const next = thread.encode(source('good'), 'a red car', 77);
    while (endless.reads === 0) await new Promise((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await asked).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/^tokenizer\.json .* 60 s/),
    });
    expect(await next).not.toHaveLength(0);
  } finally {
    jest.useRealTimers();
    await thread.close();
  }
}, 60_000);

it('the tokenizer thread rejects waiting requests when it is closed', async () => {
  const thread = new TokenizerThread();
  const asked = thread.encode(source('one'), 'a red car', 77).catch(AditError.from);
  const next = thread.encode(source('two'), 'a red car', 77).catch(AditError.from);
  await thread.close();
  for (const answer of await Promise.all([asked, next])) expect(answer).toMatchObject({ code: 'UNAVAILABLE' });
  expect(thread.isRunning).toBe(false);
}, 60_000);

it('the tokenizer thread leaves the event loop free while a large file is read', async () => {
  const { model } = clip.tokenizer;
  const vocab = { ...model.vocab };
  for (let i = 0; i < 300_000; i++) vocab[`token-that-nobody-says-${i}`] = 10_000 + i;
  const large = source('large', { ...clip.tokenizer, model: { ...model, vocab } });
  expect((await large.readFile('tokenizer.json')).length).toBeGreaterThan(10 << 20);
  const file = await large.readFile('tokenizer.json');
  const thread = new TokenizerThread(100);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  const started = performance.now();
  const ids = await thread.encode({ digest: 'large', readFile: async () => file }, 'a red car', 77);
  const seconds = (performance.now() - started) / 1000;
  clearInterval(timer);
  expect(ids).not.toHaveLength(0);
  // Reading it on this thread would block for nearly all of that time.
  expect(longest / 1000).toBeLessThan(Math.max(0.5 * seconds, 0.25));
  for (let i = 0; thread.isRunning && i < 100; i++) await sleep(50);
}, 60_000);
