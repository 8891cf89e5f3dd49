import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundedJson, JSON_LIMITS } from './bounded-json.js';

const list = (count: number, of: string) => Array.from({ length: count }, () => of).join(',');
const object = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON from outside', () => {
  it('JSON is parsed like JSON.parse does', () => {
    const ordinary = fc.json({ maxDepth: 6 }).filter((text) => !/__proto__|constructor|prototype/.test(text));
    fc.assert(
      fc.property(ordinary, (text) => expect(boundedJson(text)).toEqual(JSON.parse(text))),
      { numRuns: 300 },
    );
    const quoted = JSON.stringify({ 'a\\"{[,': ['\\\\', '"', '}],{'], 'ä,"': '\\"' });
    expect(boundedJson(Buffer.from(quoted))).toEqual(JSON.parse(quoted));
    // With the byte order mark that some programs put before UTF-8.
    expect(boundedJson(Buffer.from('\uFEFF{"a":"\uFEFF"}'))).toEqual({ a: '\uFEFF' });
  });

  /** @hardening overload: A request has megabytes of names and keys */
  it('JSON is taken up to its bounds and refused beyond', () => {
    const { depth, members, elements, values } = JSON_LIMITS;
    expect(Object.keys(boundedJson(object(members)) as object)).toHaveLength(members);
    expect(() => boundedJson(object(members + 1))).toThrow('at most 1000 members');
    expect(boundedJson(`[${list(elements, '1')}]`)).toHaveLength(elements);
    expect(() => boundedJson(`[${list(elements + 1, '1')}]`)).toThrow('at most 100000 elements');
    expect(() => boundedJson(nested(depth))).not.toThrow();
    expect(() => boundedJson(nested(depth + 1))).toThrow('64 levels');
    expect(() => boundedJson(`[${list(values / 1000, `[${list(1000, '1')}]`)}]`)).toThrow('500000 values');
    // Brackets and commas in strings do not count.
    expect(boundedJson(JSON.stringify(['[{,'.repeat(values)]))).toHaveLength(1);
  });

  it.each(['{', '"', '[1', '{"a":}', '', '\\', '"\\', ']', ',', '}{', ',,,'])('answers %j as no JSON', (text) => {
    expect(() => boundedJson(text)).toThrow('not valid JSON');
  });

  it('loses no key silently', () => {
    expect(() => boundedJson('[{"a": {"\\u005f_proto__": 1}}]')).toThrow('__proto__');
    expect(() => boundedJson('{"constructor": 1}')).toThrow('constructor');
  });
});
