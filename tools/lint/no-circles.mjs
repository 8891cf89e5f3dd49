import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { circlesAmong } from './circles.mjs';

const root = join(import.meta.dirname, '../..');

/** Those of the repository, found once: an editor sees a circle that came later when its linter starts anew. */
let found;
function circlesHere() {
  found ??= circlesAmong(codeFiles(), compilerOptions());
  return found;
}

function codeFiles() {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(ts|mjs|js)$/.test(file))
    .map((file) => join(root, file))
    .filter((file) => existsSync(file));
}

function compilerOptions() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
}

/** A lint rule: no file imports one that imports it, directly or through others, be it for a type. */
export function noCircles(circles = circlesHere) {
  return {
    meta: {
      type: 'problem',
      schema: [],
      messages: {
        circle:
          'A circle: {{target}} imports this file, directly or through others. Give what both need a file of its own.',
      },
    },
    create(context) {
      const targets = circles().get(context.filename);
      if (targets === undefined) return {};
      const check = (node) => {
        const target = targets.get((node.source ?? node.argument?.literal ?? node.argument)?.value);
        if (target !== undefined)
          context.report({ node, messageId: 'circle', data: { target: relative(root, target) } });
      };
      return {
        ImportDeclaration: check,
        ExportNamedDeclaration: check,
        ExportAllDeclaration: check,
        ImportExpression: check,
        TSImportType: check,
      };
    },
  };
}
