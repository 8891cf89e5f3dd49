import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { chartFolder } from './chart.js';
import { valuesOf, valuesPage } from './values-page.mjs';

const read = (name: string): string => readFileSync(join(chartFolder, name), 'utf8');

it('is what the values say of themselves (node tools/chart/values-page.mjs writes it anew)', () => {
  expect(read('README.md')).toBe(valuesPage());
});

it('explains every value: whoever adds one says what it is', () => {
  const explained = valuesOf(read('values.yaml')).map(({ path }) => path);
  const covered = (path: string): boolean => explained.some((each) => path === each || path.startsWith(`${each}.`));
  const unexplained = leaves(load(read('values.yaml'))).filter((path) => !covered(path));
  expect(unexplained).toEqual([]);
});

/** Paths of all values that hold no others by name. */
function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const entries = Object.entries(value);
  if (entries.length === 0) return [path];
  return entries.flatMap(([key, child]) => leaves(child, path === '' ? key : `${path}.${key}`));
}
