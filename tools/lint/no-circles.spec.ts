import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binOf } from '../setup/program.mjs';

const FILES: Record<string, string> = {
  'ring/a.ts': `import type { B } from './b.js';\nexport interface A { b: B }`,
  'ring/b.ts': `export { c } from './c.js';\nexport interface B { n: number }`,
  'ring/c.ts': `import './leaf.js';\nexport const c = (a: import('./a.js').A) => a;`,
  'ring/leaf.ts': `export const leaf = 1;`,
  'ring/user.ts': `import { c } from './c.js';\nexport const used = c;`,
  'own.ts': `import * as own from './own.js';\nexport const me = own;`,
  'lazy/a.ts': `export const load = () => import('./b.js');`,
  'lazy/b.ts': `import { load } from './a.js';\nexport const again = load;`,
};

/** The rule over what `FILES` are once they are written. */
const PLUGIN = `
import ts from '${import.meta.resolve('typescript')}';
import { circlesAmong } from '${new URL('./circles.mjs', import.meta.url).href}';
import { noCircles } from '${new URL('./no-circles.mjs', import.meta.url).href}';
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const circles = circlesAmong(${JSON.stringify(Object.keys(FILES))}.map((file) => import.meta.dirname + '/' + file), options);
export default { meta: { name: 'adit' }, rules: { 'no-circles': noCircles(() => circles) } };`;
const CONFIG = {
  jsPlugins: ['./plugin.mjs'],
  categories: { correctness: 'off' },
  rules: { 'adit/no-circles': 'error' },
};

let folder: string;
/** By file: lines, and what is said of them. */
const reported = new Map<string, string[]>();

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'adit-circles-')));
  const written = { ...FILES, 'plugin.mjs': PLUGIN, '.oxlintrc.json': JSON.stringify(CONFIG) };
  for (const [file, text] of Object.entries(written)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const { stdout, stderr } = spawnSync(process.execPath, [binOf('oxlint'), '--format=json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { filename: string; message: string; labels: { span: { line: number } }[] }[];
  };
  for (const { filename, message, labels } of diagnostics) {
    const said = `${labels[0]?.span.line}: ${message.split(' imports')[0]}`;
    reported.set(filename, [...(reported.get(filename) ?? []), said]);
  }
});

afterAll(() => rm(folder, { recursive: true }));

describe('circles between files', () => {
  it('count imports of types, exports and imports when run; who only uses one is in none', () => {
    expect([...reported.keys()].sort()).toEqual([
      'lazy/a.ts',
      'lazy/b.ts',
      'own.ts',
      'ring/a.ts',
      'ring/b.ts',
      'ring/c.ts',
    ]);
  });

  it.each(['ring/a.ts', 'ring/b.ts', 'own.ts', 'lazy/a.ts', 'lazy/b.ts'])('%s: the import is an error', (file) => {
    expect(reported.get(file)).toEqual([expect.stringMatching(/^1: A circle: /)]);
  });

  it('are said where the import stands, and only of imports that stay in the circle', () => {
    expect(reported.get('ring/c.ts')).toEqual([expect.stringMatching(/^2: A circle: .*ring\/a\.ts$/)]);
  });
});
