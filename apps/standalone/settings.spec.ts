import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeConfig } from '@adit/runtime';
import { SECTIONS } from './configuration-page.js';

const root = join(import.meta.dirname, '../..');
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', 'apps', 'libs'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(ts|js|mjs)$/.test(file) && !/\.spec\.|\/(contract|e2e|testing)\/|^libs\/testing\//.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, ''));
const code = sources.join('\n');
const pages = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '-z', 'README.md', 'CONTRIBUTING.md', 'docs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\0')
  .filter((file) => file.endsWith('.md'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

const settings = SECTIONS.flatMap(([, , schema]) =>
  describeConfig(schema).map(({ env }, at) => ({ env, key: Object.keys(schema.shape)[at]! })),
);
const declared = new Set(settings.map(({ env }) => env));

/** How often each name occurs in the code. One pass for all: the code is long, and so is the list of settings. */
const names = new Map<string, number>();
for (const [name] of code.matchAll(/\b\w+\b/g)) names.set(name, (names.get(name) ?? 0) + 1);

/** How often each name occurs as a declaration: as a setting, as a constant that several schemas share, and in their lists. */
const declarations = new Map<string, number>();
const shared = new Set([...code.matchAll(/\bconst (\w+) = setting\(/g)].map(([, name]) => name!));
for (const [, setting, constant, listed] of code.matchAll(
  /\b(\w+): setting\(|\bconst (\w+) = setting\(|^\s*(\w+),$/gm,
)) {
  const name = setting ?? constant ?? (shared.has(listed!) ? listed! : '');
  declarations.set(name, (declarations.get(name) ?? 0) + 1);
}

/** Places that name a setting's key, other than to declare it. */
const readers = (key: string): number => (names.get(key) ?? 0) - (declarations.get(key) ?? 0);

describe('settings', () => {
  it.each(settings)('$env is read, as $key', ({ key }) => expect(readers(key)).toBeGreaterThan(0));

  it('that code asks the environment for are declared, or told of in the documentation', () => {
    const asked = [...code.matchAll(/(?:\benv(?:ironment)?)(?:\.|\[')(ADIT_\w+)/g)].map(([, name]) => name!);
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((name) => !declared.has(name) && !pages.includes(`\`${name}\``))).toEqual([]);
  });
});
