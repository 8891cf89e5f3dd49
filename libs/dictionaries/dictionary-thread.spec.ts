import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { atOnce } from '@adit/runtime';
import { checkDictionaryFile } from './check-file.js';
import type { Comparison, DictionaryEntry, DistantDictionary, LoadedDictionary } from './dictionary.js';
import { DictionaryThread, dictionaryThread } from './dictionary-thread.js';
import { indexing } from './index-entries.js';
import { foldText } from './fold-text.js';
import { AppliedDictionaries, askAhead, rehearse } from './label-dictionaries.js';

const names = Array.from({ length: 2_000 }, (_, at) => `Person ${at * 7919} of place ${at % 13}`);
const file = Buffer.from(names.join('\n'));
const entries: DictionaryEntry[] = names.map((source) => ({ source, target: null }));

/** As `DictionaryStore` makes it of a pin. */
function distant(type: LoadedDictionary['type'] = 'simple', bytes = file): DistantDictionary & { asked: string[][] } {
  const key = createHash('sha256').update(bytes).digest('hex');
  const asked: string[][] = [];
  const find = async (how: Comparison, texts: readonly string[]): Promise<(DictionaryEntry | null)[]> => {
    asked.push([...texts]);
    const found: (DictionaryEntry | null)[] = [];
    while (found.length < texts.length) {
      const some = texts.slice(found.length);
      const answer = await dictionaryThread.ask<'find'>('one', { kind: 'find', key, how, texts: some });
      if (answer === null) await dictionaryThread.ask<'keep'>('one', { kind: 'keep', key, bytes, type });
      else found.push(...answer);
    }
    return found;
  };
  return { name: 'distant', type, language: 'any', find, asked };
}

afterAll(() => dictionaryThread.close());

describe('the thread of large dictionaries', () => {
  it.each([
    { mode: 'exact', threshold: 0.8 },
    { mode: 'contains', threshold: 0.8 },
    { mode: 'fuzzy', threshold: 0.8 },
    { mode: 'fuzzy', threshold: 0.4 },
  ] as const)('finds what is found here, $mode $threshold', async (how) => {
    const index = atOnce(indexing(names, how));
    const { find } = distant();
    const label = fc.oneof(
      fc.constantFrom(...names),
      fc.tuple(fc.constantFrom(...names), fc.nat(20)).map(([name, at]) => `${name.slice(0, at)}x${name.slice(at + 1)}`),
      fc.string({ maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(label, { maxLength: 5 }), async (labels) => {
        const texts = labels.map(foldText);
        const here = texts.map((text) => index.find(text)).map((place) => (place === null ? null : entries[place]));
        expect(await find(how, texts)).toEqual(here);
      }),
      { numRuns: 20 },
    );
  });

  it('names the wrong lines of a file', async () => {
    await expect(
      checkDictionaryFile('one', Buffer.concat([file, Buffer.from('\na\u0007b')]), 'simple'),
    ).rejects.toThrow('Line 2001: it holds a control character.');
    const { digest, sample } = await checkDictionaryFile('one', file, 'simple');
    expect(digest).toBe(createHash('sha256').update(file).digest('hex'));
    expect(sample).toContain('Person 0 of place 0. ');
  });

  it('gives those who ask their turns, however much one of them asks', async () => {
    const thread = new DictionaryThread();
    const ended: string[] = [];
    const ask = async (owner: string, name: string): Promise<void> => {
      await thread.ask<'check'>(owner, { kind: 'check', bytes: file, type: 'simple' });
      ended.push(name);
    };
    await Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')]);
    expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    await thread.close();
  });

  it('ends with what takes more memory than it may have, and goes on with the next', async () => {
    const thread = new DictionaryThread(16);
    const large = Buffer.from(Array.from({ length: 400_000 }, (_, at) => `name ${at}`).join('\n'));
    const [first, second] = await Promise.allSettled([
      thread.ask<'check'>('a', { kind: 'check', bytes: large, type: 'simple' }),
      thread.ask<'check'>('b', { kind: 'check', bytes: file, type: 'simple' }),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'TOO_LARGE', retryable: false } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    await thread.close();
  });
});

describe('labels that large dictionaries decide', () => {
  const map = Buffer.from(`source,target\n${names.map((name, at) => `${name},Number ${at}`).join('\n')}\n`);
  const given = (how: Comparison, list = distant(), replacing = distant('map', map)) => ({
    list,
    applied: new AppliedDictionaries([
      { specification: { id: '1', ...how }, dictionary: replacing },
      { specification: { id: '2', ...how }, dictionary: list },
    ]),
  });
  const exact: Comparison = { mode: 'exact', threshold: 0.8 };

  it('are what small ones make of them, once they were asked ahead', async () => {
    const { applied, list } = given(exact);
    const call = () => ['PERSON 7919 of place 1', 'Person 0 of place 0', 'nobody'].map((name) => applied.apply(name));
    expect(call).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    await askAhead([applied], call);
    expect(call()).toEqual(['Number 1', 'Number 0', null]);
    const times = list.asked.length;
    await askAhead([applied], call);
    expect(list.asked).toHaveLength(times);
  });

  it('are not remembered from a call that was made without them', async () => {
    const { applied } = given(exact);
    rehearse([applied], () => applied.apply(names[5]!));
    await askAhead([applied], () => applied.apply(names[5]!));
    expect(applied.apply(names[5]!)).toBe('Number 5');
  });
});
