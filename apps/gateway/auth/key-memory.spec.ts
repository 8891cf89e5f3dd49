import { describe, expect, it } from '@jest/globals';
import { KeyMemory } from './key-memory.js';

/** A memory over a clock and a table of keys, both moved by hand. */
function memory() {
  const keys = new Map<string, string>();
  let now = 0;
  let asked = 0;
  const known = new KeyMemory<string>(() => now);
  const find = (key: string, forMs?: number) =>
    known.find(key, async () => {
      asked += 1;
      const value = keys.get(key);
      return value === undefined ? null : { value, keyId: `id of ${key}`, ...(forMs === undefined ? {} : { forMs }) };
    });
  return { keys, known, find, asked: () => asked, pass: (ms: number) => void (now += ms) };
}

describe('the memory of keys', () => {
  it('looks a key up once a second, however often it is used', async () => {
    const { keys, find, asked, pass } = memory();
    keys.set('a', 'Anna');
    for (let i = 0; i < 50; i += 1) expect(await find('a')).toBe('Anna');
    expect(asked()).toBe(1);
    pass(999);
    await find('a');
    expect(asked()).toBe(1);
    pass(1);
    await find('a');
    expect(asked()).toBe(2);
  });

  it('lets a key that another gateway revoked in for a second at the most', async () => {
    const { keys, find, pass } = memory();
    keys.set('a', 'Anna');
    await find('a');
    keys.delete('a');
    pass(999);
    expect(await find('a')).toBe('Anna');
    pass(1);
    expect(await find('a')).toBeNull();
  });

  it('forgets at once what this process revokes or changes', async () => {
    const { keys, known, find } = memory();
    keys.set('a', 'Anna').set('b', 'Bert');
    await Promise.all([find('a'), find('b')]);
    keys.delete('a');
    keys.set('b', 'Berta');
    known.forget('id of a');
    expect([await find('a'), await find('b')]).toEqual([null, 'Bert']);
    known.forget('id of b');
    expect(await find('b')).toBe('Berta');
  });

  it('does not remember a look-up that began before the key was revoked', async () => {
    const known = new KeyMemory<string>(() => 0);
    let answer: (found: { value: string; keyId: string }) => void = () => undefined;
    const slow = known.find('a', () => new Promise((resolve) => (answer = resolve)));
    known.forget('id of a');
    answer({ value: 'Anna', keyId: 'id of a' });
    // The request that asked before the revocation is served; the next one asks again.
    expect(await slow).toBe('Anna');
    expect(await known.find('a', async () => null)).toBeNull();
  });

  it('asks every time for keys that are none, and remembers none beyond its end', async () => {
    const { keys, find, asked, pass } = memory();
    await find('x');
    await find('x');
    expect(asked()).toBe(2);
    keys.set('a', 'Anna');
    await find('a', 300);
    keys.delete('a');
    pass(299);
    expect(await find('a')).toBe('Anna');
    pass(1);
    expect(await find('a')).toBeNull();
  });

  it('stays small whatever comes', async () => {
    const { keys, find, asked } = memory();
    for (let i = 0; i <= 10_000; i += 1) {
      keys.set(`k${i}`, 'x');
      await find(`k${i}`);
    }
    const before = asked();
    await find('k0');
    expect(asked()).toBe(before + 1);
  });
});
