import { beforeAll, describe, expect, it } from '@jest/globals';
import { linted } from './linted.js';

const FILES: Record<string, string> = {
  // one -> two -> three -> one, and nobody's file is in a circle of its own.
  'pkg/one/a.ts': `import { b } from '../two/b.js';\nexport const a = b;`,
  'pkg/one/leaf.ts': `export const leaf = 1;`,
  'pkg/two/b.ts': `import type { C } from '../three/deep/c.js';\nexport const b: C = 1;`,
  'pkg/three/deep/c.ts': `import { leaf } from '../../one/leaf.js';\nexport type C = typeof leaf;`,
  // Uses the ring, and is in none.
  'pkg/four/d.ts': `import { a } from '../one/a.js';\nexport const d = a;`,
  // Siblings below one folder.
  'pkg/five/x/e.ts': `import { g } from '../y/g.js';\nexport const e = g;`,
  'pkg/five/x/f.ts': `export const f = 1;`,
  'pkg/five/y/g.ts': `export const load = () => import('../x/f.js');\nexport const g = 1;`,
  // Between a folder and files above or below it are none.
  'pkg/index.ts': `export * from './six/h.js';\nexport const top = 1;`,
  'pkg/six/h.ts': `import { top } from '../index.js';\nexport const h = top;`,
  // Imports of tests do not count.
  'pkg/seven/i.ts': `import { j } from '../eight/j.js';\nexport const i = j;`,
  'pkg/eight/j.ts': `export const j = 1;`,
  'pkg/eight/j.spec.ts': `import { i } from '../seven/i.js';\nexport const k = i;`,
  // Folders of other packages are other rules' matter.
  'other/one/l.ts': `import { a } from '../../pkg/one/a.js';\nexport const l = a;`,
  'pkg/nine/m.ts': `import { l } from '../../other/one/l.js';\nexport const m = l;`,
};

/** The rule over what `FILES` are once they are written. */
const RULE = `
import ts from '${import.meta.resolve('typescript')}';
import { folderCircles, importsAmong } from '${new URL('./circles.mjs', import.meta.url).href}';
import { noFolderCircles } from '${new URL('./no-circles.mjs', import.meta.url).href}';
const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
const here = (path) => import.meta.dirname + '/' + path;
const files = ${JSON.stringify(Object.keys(FILES))}.map(here);
export const rule = noFolderCircles(() =>
  folderCircles(importsAmong(files, options), new Set([here('pkg'), here('other')])));`;

let reported: Map<string, string[]>;

beforeAll(async () => {
  reported = await linted(FILES, 'no-folder-circles', RULE);
});

describe('circles between folders', () => {
  it('are those of siblings within a package, types and imports when run included', () => {
    expect([...reported.keys()].sort()).toEqual([
      'pkg/five/x/e.ts',
      'pkg/five/y/g.ts',
      'pkg/one/a.ts',
      'pkg/three/deep/c.ts',
      'pkg/two/b.ts',
    ]);
  });

  it('name the folder that an import leads to', () => {
    const message = (folder: string) => [
      expect.stringMatching(new RegExp(`^1: A circle of folders: .*${folder} imports`)),
    ];
    expect(reported.get('pkg/one/a.ts')).toEqual(message('pkg/two'));
    expect(reported.get('pkg/two/b.ts')).toEqual(message('pkg/three'));
    expect(reported.get('pkg/three/deep/c.ts')).toEqual(message('pkg/one'));
    expect(reported.get('pkg/five/x/e.ts')).toEqual(message('pkg/five/y'));
  });
});
