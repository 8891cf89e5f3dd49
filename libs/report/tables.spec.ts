import { buffer } from 'node:stream/consumers';
import type { Cell } from '@adit/csv';
import { unzip } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeXlsx, type Sheet } from './xlsx.js';

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

/** Returns the text that a spreadsheet would show. */
function cellsOf(xml: string): (string | number | null)[][] {
  const plain = (value: string): string =>
    value.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!,
    );
  return [...xml.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [
      ...row.matchAll(
        /<c\/>|<c><v>(.*?)<\/v><\/c>|<c t="inlineStr"><is><t xml:space="preserve">(.*?)<\/t><\/is><\/c>/gs,
      ),
    ].map(([, number, string]) =>
      number !== undefined ? Number(number) : string !== undefined ? plain(string) : null,
    ),
  );
}

describe('XLSX', () => {
  const sheets = (): Sheet[] => [
    { name: 'Results & more', columns: ['a', 'b', 'c'], rows, count: rows.length },
    { name: 'Sums', columns: ['k', 'v'], rows: [], count: 0 },
  ];

  it('the workbook has parts that refer to each other', async () => {
    const files = await unzip(await buffer(writeXlsx(sheets())));
    expect([...files.keys()]).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/workbook.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/sheet2.xml',
    ]);
    expect(String(files.get('xl/workbook.xml'))).toContain(
      '<sheet name="Results &amp; more" sheetId="1" r:id="rId1"/>',
    );
    for (const name of ['sheet1', 'sheet2']) {
      expect(String(files.get('xl/_rels/workbook.xml.rels'))).toContain(`Target="worksheets/${name}.xml"`);
      expect(String(files.get('[Content_Types].xml'))).toContain(`PartName="/xl/worksheets/${name}.xml"`);
    }
    expect(cellsOf(String(files.get('xl/worksheets/sheet1.xml')))).toEqual([['a', 'b', 'c'], ...rows]);
    expect(cellsOf(String(files.get('xl/worksheets/sheet2.xml')))).toEqual([['k', 'v']]);
  });

  it('goes on in another sheet when one is full', async () => {
    const many = Array.from({ length: 5 }, (_, at): Cell[] => [at]);
    const files = await unzip(await buffer(writeXlsx([{ name: 'R', columns: ['n'], rows: many, count: 5 }], 3)));
    const parts = [1, 2, 3].map((number) => cellsOf(String(files.get(`xl/worksheets/sheet${number}.xml`))));
    expect(parts).toEqual([
      [['n'], [0], [1]],
      [['n'], [2], [3]],
      [['n'], [4]],
    ]);
    expect(String(files.get('xl/workbook.xml'))).toContain('name="R 3"');
  });

  it('keeps any text as text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), async (cells) => {
        const files = await unzip(await buffer(writeXlsx([{ name: 'R', columns: [], rows: [cells], count: 1 }])));
        const xml = String(files.get('xl/worksheets/sheet1.xml'));
        // eslint-disable-next-line no-control-regex
        expect(xml).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f]/);
        const shown = cellsOf(xml).at(-1)!;
        expect(shown).toHaveLength(cells.length);
        // eslint-disable-next-line no-control-regex
        const storable = /^[^\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]*$/u;
        cells.forEach((text, at) => storable.test(text) && expect(shown[at]).toBe(text));
      }),
      { numRuns: 30 },
    );
  });

  it('breaks off when its rows do', async () => {
    const sheet = { name: 'R', columns: ['a'], rows: failing(), count: 2 };
    await expect(buffer(writeXlsx([sheet]))).rejects.toThrow('went away');
  });
});
