import { describe, expect, it } from '@jest/globals';
import { printable, textTable } from './text-table.js';

describe('textTable', () => {
  it('sets columns as wide as their widest cell, wide characters as two', () => {
    const table = textTable(
      ['Who', 'Sure'],
      [
        ['Jo', '9 %'],
        ['王小明', '100 %'],
        ['Zoë', '80 %'],
      ],
      ['left', 'right'],
    );
    expect(table.split('\n')).toEqual([
      'Who      Sure',
      '──────  ─────',
      'Jo        9 %',
      '王小明  100 %',
      'Zoë      80 %',
    ]);
  });

  it('the table has as many rows as there are', () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => [String(at)]);
    expect(textTable(['Number'], rows).length).toBeGreaterThan(1e6);
  });

  it('lets no client move the cursor', () => {
    expect(printable('Anna\u001b[2J\r\nroot')).toBe('Anna�[2J��root');
  });
});
