import { beforeAll, describe, expect, it } from '@jest/globals';
import { linted } from './linted.js';

const FILES: Record<string, string> = {
  'ring/a.ts': `import type { B } from './b.js';\nexport interface A { b: B }`,
  'ring/b.ts': `export { c } from './c.js';\nexport interface B { n: number }`,
  'ring/c.ts': `import './leaf.js';\nexport const c = (a: import('./a.js').A) => a;`,
  'ring/leaf.ts': `export const leaf = 1;`,
  'ring/user.ts': `import { c } from './c.js';\nexport const used = c;`,
  'own.ts': `import * as own from './own.js';\nexport const me = own;`,
  'lazy/a.ts': `export const load = () => import('./b.js');`,
  'lazy/b.ts': `import { load } from './a.js';\nexport const again = load;`,
  'page/a.tsx': `import { b } from './b.js';\nexport const a = b;`,
  'page/b.tsx': `import { a } from './a.js';\nexport const b = a;`,
};

/** The rule over what `FILES` are once they are written. */
const RULE = `
import ts from '${import.meta.resolve('typescript')}';
import { fileCircles, importsAmong } from '${new URL('./circles.mjs', import.meta.url).href}';
import { noCircles } from '${new URL('./no-circles.mjs', import.meta.url).href}';
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const files = ${JSON.stringify(Object.keys(FILES))}.map((file) => import.meta.dirname + '/' + file);
export const rule = noCircles(() => fileCircles(importsAmong(files, options)));`;

let reported: Map<string, string[]>;

beforeAll(async () => {
  reported = await linted(FILES, 'no-circles', RULE);
});

describe('circles between files', () => {
  it('count imports of types, exports and imports when run; who only uses one is in none', () => {
    expect([...reported.keys()].sort()).toEqual([
      'lazy/a.ts',
      'lazy/b.ts',
      'own.ts',
      'page/a.tsx',
      'page/b.tsx',
      'ring/a.ts',
      'ring/b.ts',
      'ring/c.ts',
    ]);
  });

  it.each(['ring/a.ts', 'ring/b.ts', 'own.ts', 'lazy/a.ts', 'lazy/b.ts', 'page/a.tsx'])(
    '%s: the import is an error',
    (file) => {
      expect(reported.get(file)).toEqual([expect.stringMatching(/^1: A circle: /)]);
    },
  );

  it('are said where the import stands, and only of imports that stay in the circle', () => {
    expect(reported.get('ring/c.ts')).toEqual([expect.stringMatching(/^2: A circle: .*ring\/a\.ts imports/)]);
  });
});
