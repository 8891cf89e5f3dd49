import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { writeCsv, type Cell } from './write-csv.js';

const rows: Cell[][] = [
  ['plain', 1, null],
  ['a "quote", a comma\nand a line', -0.5, '=1+1'],
  ['ünï <b>&amp;</b>', 1e21, '+49'],
];

async function* failing(): AsyncGenerator<Cell[]> {
  yield ['x'];
  await Promise.resolve();
  throw new Error('the database went away');
}

describe('CSV that is written', () => {
  /** @hardening api: A CSV file holds a formula */
  it('quotes what needs it and keeps formulas from running', async () => {
    expect(await text(writeCsv(['a', 'b', 'c'], rows))).toBe(
      ['a,b,c', 'plain,1,', '"a ""quote"", a comma\nand a line",-0.5,\'=1+1', "ünï <b>&amp;</b>,1e+21,'+49", ''].join(
        '\r\n',
      ),
    );
  });

  it.each([
    '=1+1',
    ' =1+1',
    '\n=1+1',
    '\t@x',
    'a;=1+1',
    'a; -1',
    'a\n+1',
    'a\r\n=1',
    'a\t=1',
    '＝1+1',
    '　＋1',
    'a;＠x',
    ';;=1',
  ])('has no formula whatever separates its cells: %j', async (cell) => {
    const [, line = ''] = (await text(writeCsv(['a'], [[cell]]))).split(/\r\n(.*)/s);
    for (const begun of line.replaceAll('"', '').split(/[;|\t\r\n]/)) expect(begun).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
    expect(line.replaceAll("'", '').replaceAll('"', '')).toBe(`${cell}\r\n`);
  });

  it('breaks off when its rows do', async () => {
    await expect(text(writeCsv(['a'], failing()))).rejects.toThrow('went away');
  });

  it('asks for few rows more than are read, and ends them when nobody reads on', async () => {
    const state = { made: 0, ended: false };
    function* many(): Generator<Cell[]> {
      try {
        for (; state.made < 1_000_000; state.made += 1) yield ['x'.repeat(100)];
      } finally {
        state.ended = true;
      }
    }
    const output = writeCsv(['a'], many());
    for await (const piece of output) {
      expect(String(piece)).toContain('a');
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.ended).toBe(true);
    expect(state.made).toBeLessThan(10);
  });

  it.each(['a\nb', 'a\rb', 'a,b', 'a"b', '\r\n'])('quotes %j', async (cell) => {
    expect(await text(writeCsv(['a'], [[cell]]))).toBe(`a\r\n"${cell.replaceAll('"', '""')}"\r\n`);
  });
});
