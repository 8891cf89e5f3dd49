import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operating/hardening.md'), 'utf8');
/** Points with the tests that hold them: a file, and what it says in quotes behind it. */
const points = [...page.matchAll(/^\| (.+?) +\| (.*\S) *\|$/gm)]
  .map(([, point, holders]): [string, string] => [point!, holders!])
  .filter(([point]) => !/^(found|bar|-+)$/.test(point));

describe('docs/operating/hardening.md', () => {
  it('has every point', () => expect(points).toHaveLength(84));

  it.each(points)('%s: its tests are there', (_, holders) => {
    const missing: string[] = [];
    let file = '';
    for (const [, path, name] of holders.matchAll(/`([^`]+\.ts)`|“([^”]+)”/g)) {
      if (path !== undefined) file = readFileSync(join(root, path), 'utf8');
      else if (!file.includes(name!)) missing.push(name!);
    }
    expect(missing).toEqual([]);
    expect(holders).toMatch(/\.ts` “|npm run|`\.ci\/run`/);
  });
});
