import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import fc from 'fast-check';
import { readPlaces } from './places-file.js';

const read = (text: string) => readPlaces(Buffer.from(text));

async function refusal(bytes: Buffer): Promise<AditError> {
  try {
    await readPlaces(bytes);
  } catch (error) {
    if (error instanceof AditError) return error;
  }
  throw new Error('it was accepted');
}

describe('a file of places', () => {
  it('gives each place the data of its line', async () => {
    const text = [
      '\uFEFFname,type,latitude,longitude,location,notes',
      'Old Bridge,bridge,49.4139,8.7094,"Heidelberg, Baden-Württemberg, Germany",nice',
      '',
      '"Mill, the old one",mill | museum,-33.5,+151,Washington|D.C., ',
      'Nowhere',
    ].join('\r\n');
    expect(await read(text)).toEqual([
      {
        line: 2,
        name: 'Old Bridge',
        landmark: {
          type: ['bridge'],
          latitude: '49.4139',
          longitude: '8.7094',
          location: ['Heidelberg', 'Baden-Württemberg', 'Germany'],
        },
      },
      {
        line: 4,
        name: 'Mill, the old one',
        landmark: { type: ['mill', 'museum'], latitude: '-33.5', longitude: '+151', location: ['Washington', 'D.C.'] },
      },
      { line: 5, name: 'Nowhere', landmark: { type: null, latitude: null, longitude: null, location: [] } },
    ]);
  });

  it('may have semicolons, tabs, and columns in any order', async () => {
    for (const separator of [';', '\t']) {
      const rows = ['Longitude,NAME,latitude', '1,A,2'].map((line) => line.replaceAll(',', separator));
      expect((await read(rows.join('\n')))[0]).toMatchObject({
        name: 'A',
        landmark: { latitude: '2', longitude: '1' },
      });
    }
  });

  it('reports every wrong line', async () => {
    const lines = [
      'name,latitude,longitude',
      'A,91,0',
      'B,0,200',
      'C,north,0',
      ',1,1',
      'D,1,',
      'E,1,2,3',
      'F,1,2',
      'F,3,4',
    ];
    const { code, message, options } = await refusal(Buffer.from(lines.join('\n')));
    expect(code).toBe('VALIDATION');
    expect(options.errors?.map(({ pointer }) => pointer)).toEqual([2, 3, 4, 5, 6, 7, 9].map((n) => `/csv/lines/${n}`));
    expect(message).toMatch(/Line 2: latitude "91" is no number of degrees from -90 to 90/);
    expect(message).toMatch(/Line 9: F stands in line 8 already/);
  });

  it.each([
    ['', /Line 1: the header has to name the column name/],
    ['title,type\nA,b', /the header has to name the column name/],
    ['name\n', /names no place/],
    ['name,type\n"A,b', /Line 2: a quoted field begins here and never ends/],
  ])('is refused as %j', async (text, says) => {
    expect((await refusal(Buffer.from(text))).message).toMatch(says);
  });

  it('is refused when it is not UTF-8', async () => {
    expect((await refusal(Buffer.from('name\nMünchen', 'latin1'))).message).toMatch(/not UTF-8/);
  });

  it('reports its first 50 wrong lines, and excessive width, length and size', async () => {
    const many = await refusal(Buffer.from(`name,latitude\n${'A,91\n'.repeat(1_000)}`));
    expect(many.options.errors).toHaveLength(50);
    const wide = await refusal(Buffer.from(`name\nA${',x'.repeat(1_000)}\n${'x'.repeat(65_537)}`));
    expect(wide.message).toMatch(/Line 2: it has more than 1000 fields.*Line 3: a field has at most 65536 characters/);
    expect((await refusal(Buffer.alloc((64 << 20) + 1, 'a'))).message).toMatch(/at most 67108864 are read/);
  });

  it('is read in time slices', async () => {
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);
    const lines = Array.from({ length: 100_000 }, (_, at) => `Place ${at},bridge,1,2`);
    expect(await read(`name,type,latitude,longitude\n${lines.join('\n')}`)).toHaveLength(100_000);
    clearInterval(count);
    expect(turns).toBeGreaterThan(1);
  });

  it('is read as it was written', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .map((text) => text.normalize('NFC').trim())
      .filter((text) => text !== '' && !/[\p{Cc}\uFEFF]/u.test(text));
    const degrees = (limit: number) =>
      fc.integer({ min: -limit * 1000, max: limit * 1000 }).map((n) => String(n / 1000));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, degrees(90), degrees(180)), {
          minLength: 1,
          maxLength: 6,
          selector: ([key]) => key,
        }),
        async (rows) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const text = rows.map(([key, ...numbers]) => [quoted(key), ...numbers].join(','));
          expect(
            (await read(['name,latitude,longitude', ...text].join('\n'))).map((row) => [
              row.line,
              row.name,
              row.landmark.latitude,
              row.landmark.longitude,
            ]),
          ).toEqual(rows.map(([key, latitude, longitude], index) => [index + 2, key, latitude, longitude]));
        },
      ),
    );
  });
});
