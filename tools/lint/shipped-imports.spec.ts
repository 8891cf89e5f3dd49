import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { isShipped } from './casts.mjs';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}

/** Packages that a source loads when it runs; types alone are gone by then. */
function packagesIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { importClause: clause, moduleSpecifier } = node;
      const named = clause?.namedBindings;
      const isType =
        clause?.isTypeOnly === true ||
        (clause !== undefined &&
          clause.name === undefined &&
          named !== undefined &&
          ts.isNamedImports(named) &&
          named.elements.every(({ isTypeOnly }) => isTypeOnly));
      if (!isType) found.push((moduleSpecifier as ts.StringLiteral).text);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && !node.isTypeOnly) {
      found.push((node.moduleSpecifier as ts.StringLiteral).text);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [given] = node.arguments;
      if (given !== undefined && ts.isStringLiteral(given)) found.push(given.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found
    .filter((name) => !name.startsWith('.') && !isBuiltin(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
}

it('finds what is loaded, and no types', () => {
  const text = [
    `import a, { type B } from 'a/deep.js';`,
    `import type { C } from 'c';`,
    `import { type D } from 'd';`,
    `import '@e/f/g.js';`,
    `export { h } from 'h';`,
    `import { readFileSync } from 'node:fs';`,
    `import { i } from './i.js';`,
    `const j = async () => await import('j');`,
  ].join('\n');
  expect(packagesIn('x.ts', text)).toEqual(['a', '@e/f', 'h', 'j']);
});

// Tests run beside everybody's packages for development; an image has none of them.
it('is all among the dependencies of the package that loads it', () => {
  const files = execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const manifests = new Map(
    files
      .filter((path) => path.endsWith('/package.json'))
      .map((path) => [dirname(path), JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest]),
  );
  const shipped = files.filter(isShipped);
  expect(shipped.length).toBeGreaterThan(500);
  const missing = shipped.flatMap((path) => {
    const manifest = manifests.get(path.split('/', 2).join('/'))!;
    const allowed = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})]);
    return packagesIn(path, readFileSync(join(root, path), 'utf8'))
      .filter((name) => !allowed.has(name))
      .map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});
