import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { fileCircles, folderCircles, importsAmong } from './circles.mjs';

const root = join(import.meta.dirname, '../..');

/** Imports of the repository, found once: an editor sees a circle that came later when its linter starts anew. */
const importsHere = once(() => importsAmong(filesHere(/\.(tsx?|mjs|js)$/), compilerOptions()));
const circlesHere = once(() => fileCircles(importsHere()));
const folderCirclesHere = once(() =>
  folderCircles(importsHere(), new Set(filesHere(/(^|\/)package\.json$/).map((file) => dirname(file)))),
);

/** @template T @param {() => T} find */
function once(find) {
  /** @type {T | undefined} */
  let found;
  return () => (found ??= find());
}

/** @param {RegExp} kind */
function filesHere(kind) {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => kind.test(file))
    .map((file) => join(root, file))
    .filter((file) => existsSync(file));
}

function compilerOptions() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
}

/** A lint rule: no file imports one that imports it, directly or through others, be it for a type. */
export function noCircles(circles = circlesHere) {
  return ruleOver(
    circles,
    'A circle: {{target}} imports this file, directly or through others. Give what both need a file of its own.',
  );
}

/** A lint rule: within a package no folder imports from a sibling that imports from it, directly or through others. */
export function noFolderCircles(circles = folderCirclesHere) {
  return ruleOver(
    circles,
    'A circle of folders: {{target}} imports from the folder of this file, directly or through others. Move what both need, ' +
      'or the file that is in the wrong one.',
  );
}

/** Reports the imports that `circles` names by file. */
function ruleOver(circles, message) {
  return {
    meta: { type: 'problem', schema: [], messages: { circle: message } },
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
