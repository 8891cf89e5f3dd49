import { describe, expect, it } from '@jest/globals';
import type { DictionaryType } from '@adit/contracts';
import fc from 'fast-check';
import { atOnce } from '@adit/runtime';
import { inferDictionaryType, readDictionaryFile } from './read-file.js';
import { MAX_ENTRY_LENGTH, readingDictionary, WrongFile } from './reading-file.js';

function refused(text: string | Buffer, type: DictionaryType): [pointer: string, code: string][] {
  try {
    atOnce(readingDictionary(Buffer.from(text), type));
  } catch (error) {
    if (error instanceof WrongFile) return error.errors.map(({ pointer, code }) => [pointer, code]);
    throw error;
  }
  throw new Error('it was accepted');
}

const read = (text: string | Buffer, type: DictionaryType) => atOnce(readingDictionary(Buffer.from(text), type));

describe('a simple dictionary', () => {
  it('has an entry per line, without empty lines, byte order marks and repetitions', () => {
    expect(read('\uFEFFHund\r\n\r\n  Katze \nHund\n\n', 'simple').map(({ source }) => source)).toEqual([
      'Hund',
      'Katze',
    ]);
  });

  it('reports the wrong lines', () => {
    expect(refused('', 'simple')).toEqual([['/file', 'empty']]);
    expect(refused(`a\nb\u0007\n${'x'.repeat(MAX_ENTRY_LENGTH + 1)}`, 'simple')).toEqual([
      ['/file/lines/2', 'control_character'],
      ['/file/lines/3', 'too_long'],
    ]);
    const latin1 = Buffer.concat([Buffer.from('Hund\nM'), Buffer.from([0xfc]), Buffer.from('ller\nKatze')]);
    expect(refused(latin1, 'simple')).toEqual([['/file/lines/2', 'not_utf8']]);
    expect(refused(Buffer.from('\uFEFFHund', 'utf16le'), 'simple')).toEqual([['/file/lines/1', 'not_utf8']]);
  });

  it('keeps every line that has text, in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-zäöü"',; ]{1,20}$/).map((s) => s.trim())), (lines) => {
        const wanted = lines.filter((line) => line !== '');
        fc.pre(wanted.length > 0);
        expect(read(lines.join('\n'), 'simple').map(({ source }) => source)).toEqual(wanted);
      }),
    );
  });
});

describe('a map dictionary', () => {
  it('accepts further columns, semicolons, quotes and line breaks in quotes', () => {
    const text = 'note;Target;"source"\nx;"der ""große"" Hund";dog\n\n"two\nlines";Katze;cat\n';
    expect(read(text, 'map')).toEqual([
      { source: 'dog', target: 'der "große" Hund' },
      { source: 'cat', target: 'Katze' },
    ]);
  });

  it.each([
    ['\uFEFFsource;target\r\nperson;Mensch\r\n;\r\n;;\r\n"";""\r\n \t; \r\ncup;"Tasse; gross"\r\n;\r\n;'],
    [',,\nsource,target,\nperson,Mensch,\n,,\ncup,Tasse; gross,\n,,'],
    ['\uFEFFsep=;\r\nsource;target\r\nperson;Mensch\r\ncup;"Tasse; gross"\r\n'],
    ['"sep=|"\nsource|target\nperson|Mensch\ncup|Tasse; gross\n|\n'],
    ['sep=\t\nsource\ttarget\nperson\tMensch\n\t\ncup\tTasse; gross'],
  ])('is read like a spreadsheet: %j', (text) => {
    expect(read(text, 'map')).toEqual([
      { source: 'person', target: 'Mensch' },
      { source: 'cup', target: 'Tasse; gross' },
    ]);
  });

  it.each([
    ['source\ndog', [['/file/lines/1', 'missing_column']]],
    ['sep=;\ndog;Hund', [['/file/lines/2', 'missing_column']]],
    ['source;target;note\ndog;Hund;\n;;see above', [['/file/lines/3', 'missing_value']]],
    ['dog,Hund', [['/file/lines/1', 'missing_column']]],
    [
      'source,target\ndog,Hund\ncat\n,Maus\n',
      [
        ['/file/lines/3', 'missing_value'],
        ['/file/lines/4', 'missing_value'],
      ],
    ],
    [
      'source,target\n"a\nb\n",Hund\ncat,\n',
      [
        ['/file/lines/2', 'control_character'],
        ['/file/lines/5', 'missing_value'],
      ],
    ],
    ['source,target\ndog,Hund\nDOG,Katze\n', [['/file/lines/3', 'source_twice']]],
    ['source,target\ndog,"Hund\n', [['/file/lines/2', 'unclosed_quote']]],
    ['source,target\n', [['/file', 'empty']]],
    [
      `source,target\na,b${',x'.repeat(999)}\nc,d,${'x'.repeat(65_537)}`,
      [
        ['/file/lines/2', 'too_many_columns'],
        ['/file/lines/3', 'too_long'],
      ],
    ],
  ])('refuses %j', (text, errors) => {
    expect(refused(text, 'map')).toEqual(errors);
  });
});

describe('the type of a file', () => {
  it.each([
    ['text/csv', 'x', 'a', 'map'],
    ['text/plain', 'x', 'source,target', 'simple'],
    ['text/plain; charset=utf-8', 'x.csv', 'source,target', 'map'],
    ['application/octet-stream', 'names.txt', 'source,target', 'simple'],
    ['application/vnd.ms-excel', 'map.CSV', 'a', 'map'],
    ['application/octet-stream', 'blob', '\uFEFFsource;target\na;b', 'map'],
    ['application/octet-stream', 'blob', '\uFEFFsep=;\nsource;target\na;b', 'map'],
    ['application/octet-stream', 'blob', 'source\ntarget', 'simple'],
  ])('%s named %s with %j is %s', (contentType, filename, text, type) => {
    expect(inferDictionaryType(Buffer.from(text), { contentType, filename })).toBe(type);
  });

  it('is undefined for files that are no text', () => {
    expect(() => inferDictionaryType(Buffer.from('x'), { contentType: 'image/png', filename: 'a.txt' })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }),
    );
  });
});

describe('a large dictionary', () => {
  const lines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));

  it.each([
    ['simple', lines(50_000, (at) => `Person ${at}`).join('\n')],
    ['map', `source,target\n${lines(50_000, (at) => `Person ${at},Alias ${at}`).join('\n')}`],
    ['map', `source,target\n${','.repeat(200_000)}`],
    ['map', `source,target\n${'"'.repeat(200_000)}`],
    ['map', `source,target\n${'\n'.repeat(200_000)}`],
    ['simple', '\n'.repeat(200_000)],
  ] as const)('is read in many short steps: %s', (type, text) => {
    let steps = 0;
    try {
      for (const work = readingDictionary(Buffer.from(text), type); work.next().done !== true;) steps += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(WrongFile);
    }
    expect(steps).toBeGreaterThanOrEqual(95);
  });

  it('with errors is refused with its lines', async () => {
    await expect(readDictionaryFile(Buffer.from('a\nb\u0007'), 'simple')).rejects.toMatchObject({
      code: 'VALIDATION',
      message: 'Line 2: it holds a control character.',
      options: { errors: [{ pointer: '/file/lines/2', code: 'control_character' }] },
    });
  });

  it('is read in time slices', async () => {
    let tasks = 0;
    const count = setInterval(() => (tasks += 1), 1);
    const text = lines(200_000, (at) => `Person ${at}`).join('\n');
    expect(await readDictionaryFile(Buffer.from(text), 'simple')).toHaveLength(200_000);
    clearInterval(count);
    expect(tasks).toBeGreaterThan(1);
  });
});
