import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonReader } from './json-reader.js';

const reader = (text: string): JsonReader => new JsonReader('list.json', Buffer.from(text));

/** Reads a value like `like`, member by member and element by element. */
function inPieces(json: JsonReader, like: unknown): unknown {
  if (Array.isArray(like)) {
    const list: unknown[] = [];
    for (const at of json.elements()) list.push(inPieces(json, like[at]));
    return list;
  }
  if (like !== null && typeof like === 'object') {
    const members: [string, unknown][] = [];
    for (const name of json.members())
      members.push([name, inPieces(json, Object.getOwnPropertyDescriptor(like, name)?.value)]);
    return Object.fromEntries(members);
  }
  return json.value();
}

describe('incremental JSON', () => {
  it('equals JSON.parse for any value and spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t\r\n '), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const json = reader(` ${text}\n`);
        expect(inPieces(json, JSON.parse(text))).toEqual(JSON.parse(text));
        json.finish();
        const passed = reader(text);
        passed.skip();
        passed.finish();
      }),
    );
  });

  it('throws for every text that JSON.parse refuses', () => {
    const shape = { a: [{ b: 'ü"\\' }, 1, true, null], c: {} };
    const text = JSON.stringify(shape);
    const broken = fc.tuple(fc.nat(text.length - 1), fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', 'x', '1'));
    fc.assert(
      fc.property(broken, ([at, instead]) => {
        const changed = `${text.slice(0, at)}${instead}${text.slice(at + 1)}`;
        fc.pre(!isJson(changed));
        const json = reader(changed);
        expect(() => {
          inPieces(json, shape);
          json.finish();
        }).toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it('reports the position of an error, and what was expected', () => {
    for (const text of ['', '[', '{"a"', '{"a":1', '"a', '{"a":1}x', '[1 2]', '{a:1}']) {
      const json = reader(text);
      expect(() => {
        inPieces(json, text.startsWith('[') ? [1] : { a: 1 });
        json.finish();
      }).toThrow(/^list\.json is no JSON at byte \d+/);
    }
    expect(() => [...reader('7').elements()]).toThrow('list.json is no JSON at byte 0: expected a list.');
  });

  it('holds no value of more than 1 MiB', () => {
    const long = JSON.stringify(['x'.repeat(1 << 20)]);
    expect(() => reader(long).value()).toThrow('has more than');
    reader(long).skip();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
