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

/** Places that name a setting's key, other than to declare it. */
function readers(key: string): number {
  const count = (pattern: string): number => (code.match(new RegExp(pattern, 'gm')) ?? []).length;
  // One that several schemas share is declared as a constant, and named by each of them.
  const shared = count(`\\bconst ${key} = setting\\(`);
  return count(`\\b${key}\\b`) - count(`\\b${key}: setting\\(`) - shared - (shared > 0 ? count(`^\\s*${key},$`) : 0);
}

describe('settings', () => {
  it.each(settings)('$env is read, as $key', ({ key }) => expect(readers(key)).toBeGreaterThan(0));

  it('that code asks the environment for are declared, or told of in the documentation', () => {
    const asked = [...code.matchAll(/(?:\benv(?:ironment)?)(?:\.|\[')(ADIT_\w+)/g)].map(([, name]) => name!);
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((name) => !declared.has(name) && !pages.includes(`\`${name}\``))).toEqual([]);
  });
});
