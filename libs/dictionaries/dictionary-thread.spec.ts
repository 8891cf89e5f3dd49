import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AditError } from '@adit/contracts';
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

/** Simulates the result of `DictionaryStore` for a pin. */
function distant(type: LoadedDictionary['type'] = 'simple', bytes = file): DistantDictionary & { asked: string[][] } {
  const key = createHash('sha256').update(bytes).digest('hex');
  const asked: string[][] = [];
  const find = async (how: Comparison, texts: readonly string[]): Promise<(DictionaryEntry | null)[]> => {
    asked.push([...texts]);
    const found: (DictionaryEntry | null)[] = [];
    while (found.length < texts.length) {
      const some = texts.slice(found.length);
      found.push(...(await dictionaryThread.find('one', { key, type, how, texts: some }, async () => bytes)));
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
  ] as const)('finds the same as in this thread, $mode $threshold', async (how) => {
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

  it('reports the wrong lines of a file', async () => {
    await expect(
      checkDictionaryFile('one', Buffer.concat([file, Buffer.from('\na\u0007b')]), 'simple'),
    ).rejects.toThrow('Line 2001: it holds a control character.');
    const { digest, sample } = await checkDictionaryFile('one', file, 'simple');
    expect(digest).toBe(createHash('sha256').update(file).digest('hex'));
    expect(sample).toContain('Person 0 of place 0. ');
  });

  it('serves callers fairly, however much one of them requests', async () => {
    const thread = new DictionaryThread();
    const ended: string[] = [];
    const ask = async (owner: string, name: string): Promise<void> => {
      await thread.check(owner, file, 'simple');
      ended.push(name);
    };
    await Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')]);
    expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    await thread.close();
  });

  it('stops a dictionary that exceeds its memory, and continues with the next', async () => {
    const thread = new DictionaryThread(16);
    const large = Buffer.from(Array.from({ length: 400_000 }, (_, at) => `name ${at}`).join('\n'));
    const [first, second] = await Promise.allSettled([
      thread.check('a', large, 'simple'),
      thread.check('b', file, 'simple'),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'TOO_LARGE', retryable: false } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    await thread.close();
  });

  it('retries a dictionary alone that found no memory beside others', async () => {
    const thread = new DictionaryThread(64, 1024);
    const many = (name: string) => Buffer.from(Array.from({ length: 150_000 }, (_, at) => `${name} ${at}`).join('\n'));
    const of = async (name: string) => {
      const request = {
        key: name,
        type: 'simple',
        how: { mode: 'exact', threshold: 1 },
        texts: [`${name} 7`],
      } as const;
      const [found] = await thread.find(name, request, async () => many(name));
      return found?.source;
    };
    const names = ['a', 'b', 'c', 'd'];
    expect(await Promise.all(names.map(of))).toEqual(names.map((name) => `${name} 7`));
    await thread.close();
  });

  it('serves each of many dictionaries that do not fit together, one after the other', async () => {
    const thread = new DictionaryThread(256, 1);
    const owners = Array.from({ length: 8 }, (_, at) => `owner ${at}`);
    const reads: string[] = [];
    const found = owners.map((owner) => {
      const lines = Array.from({ length: 2_000 }, (_, at) => `${owner} ${at} ${'x'.repeat(900)}`);
      const texts = [foldText(lines[1_999]!)];
      return thread.find(
        owner,
        { key: owner, type: 'simple', how: { mode: 'exact', threshold: 1 }, texts },
        async () => {
          reads.push(owner);
          return Buffer.from(lines.join('\n'));
        },
      );
    });
    expect((await Promise.all(found)).map(([entry]) => entry?.source.slice(0, 12))).toEqual(
      owners.map((owner) => `${owner} 1999`),
    );
    expect(reads).toEqual(owners);
    await thread.close();
  });

  it('continues when a file cannot be read', async () => {
    const thread = new DictionaryThread();
    const request = { key: 'gone', type: 'simple', how: { mode: 'exact', threshold: 1 }, texts: ['a'] } as const;
    const gone = thread.find('a', request, () => Promise.reject(new AditError('UNAVAILABLE', 'It is away.')));
    await expect(gone).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(thread.check('b', file, 'simple')).resolves.toBeDefined();
    await thread.close();
  });

  it('rejects waiting requests when it is closed', async () => {
    const thread = new DictionaryThread();
    const waiting = ['a', 'b'].map((owner) => thread.check(owner, file, 'simple'));
    const ended = Promise.allSettled(waiting);
    await thread.close();
    expect((await ended).map((each) => each.status === 'rejected' && each.reason)).toMatchObject([
      { code: 'UNAVAILABLE' },
      { code: 'UNAVAILABLE' },
    ]);
    await expect(thread.check('a', file, 'simple')).resolves.toMatchObject({ digest: expect.any(String) });
    await thread.close();
  });
});

describe('labels of large dictionaries', () => {
  const map = Buffer.from(`source,target\n${names.map((name, at) => `${name},Number ${at}`).join('\n')}\n`);
  const given = (how: Comparison, list = distant(), replacing = distant('map', map)) => ({
    list,
    applied: new AppliedDictionaries([
      { specification: { id: '1', ...how }, dictionary: replacing },
      { specification: { id: '2', ...how }, dictionary: list },
    ]),
  });
  const exact: Comparison = { mode: 'exact', threshold: 0.8 };

  it('equal those of small ones, once they were requested ahead', async () => {
    const { applied, list } = given(exact);
    const call = () => ['PERSON 7919 of place 1', 'Person 0 of place 0', 'nobody'].map((name) => applied.apply(name));
    expect(call).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    await askAhead([applied], call);
    expect(call()).toEqual(['Number 1', 'Number 0', null]);
    const times = list.asked.length;
    await askAhead([applied], call);
    expect(list.asked).toHaveLength(times);
  });

  it('are not cached from a call that was made without answers', async () => {
    const { applied } = given(exact);
    rehearse([applied], () => applied.apply(names[5]!));
    await askAhead([applied], () => applied.apply(names[5]!));
    expect(applied.apply(names[5]!)).toBe('Number 5');
  });
});
