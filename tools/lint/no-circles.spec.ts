import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Linter, type Rule } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { circlesAmong } from './circles.mjs';
import { noCircles } from './no-circles.mjs';

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

let folder: string;
let circles: Map<string, Map<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-circles-'));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  circles = circlesAmong(
    Object.keys(FILES).map((file) => join(folder, file)),
    options,
  );
});

afterAll(() => rm(folder, { recursive: true }));

function reported(file: string): string[] {
  const config = [
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser as Linter.Parser },
      plugins: { adit: { rules: { 'no-circles': noCircles(() => circles) as Rule.RuleModule } } },
      rules: { 'adit/no-circles': 'error' as const },
    },
  ];
  const messages = new Linter({ cwd: folder }).verify(FILES[file]!, config, join(folder, file));
  return messages.map(({ line, message }) => `${line}: ${message.split(' imports')[0]}`);
}

describe('circles between files', () => {
  it('count imports of types, exports and imports when run; who only uses one is in none', () => {
    const found = [...circles.keys()].map((file) => file.slice(folder.length + 1)).sort();
    expect(found).toEqual(['lazy/a.ts', 'lazy/b.ts', 'own.ts', 'ring/a.ts', 'ring/b.ts', 'ring/c.ts']);
  });

  it.each(['ring/a.ts', 'ring/b.ts', 'own.ts', 'lazy/a.ts', 'lazy/b.ts'])('%s: the import is an error', (file) => {
    expect(reported(file)).toEqual([expect.stringMatching(/^1: A circle: /)]);
  });

  it('are said where the import stands, and only of imports that stay in the circle', () => {
    expect(reported('ring/c.ts')).toEqual([expect.stringMatching(/^2: A circle: .*ring\/a\.ts$/)]);
    expect(reported('ring/user.ts')).toEqual([]);
  });
});
