import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
export const METRICS_PAGE = join(root, 'docs/reference/metrics.md');

/** Functions of @adit/runtime that make a metric: each takes its name, its help and its labels. */
const KINDS = ['counter', 'gauge', 'histogram'];

/** docs/reference/metrics.md: every metric of Adit's own by the package that declares it. */
export function metricsPage() {
  const sections = new Map();
  for (const { name, kind, labels, help, note, file } of declaredMetrics()) {
    const owner = file.split('/').slice(0, 2).join('/');
    const says = [help.replace(/([^.])$/, '$1.'), note].filter(Boolean).join(' ').replaceAll('|', '\\|');
    const row = `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${says} |\n`;
    sections.set(owner, (sections.get(owner) ?? '') + row);
  }
  return (
    '# Metrics\n\n' +
    'Generated from where code declares them; do not edit. `/metrics` answers them in the format of Prometheus, beside those of Node ' +
    '(`nodejs_…`, `process_…`). A process has the metrics of the packages that it runs.\n' +
    [...sections]
      .map(([owner, rows]) => `\n## \`${owner}\`\n\n| Metric | Type | Labels | Says |\n|---|---|---|---|\n${rows}`)
      .join('')
  );
}

/** Every call that makes a metric, with the comment of its declaration. */
export function declaredMetrics() {
  const list = ['ls-files', '-co', '--exclude-standard', '-z', 'libs/*.ts', 'apps/*.ts'];
  return execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .toSorted()
    .filter((file) => file !== '' && !/\.spec\.ts$|\/(testing|e2e|contract)\//.test(file))
    .flatMap((file) => metricsOf(file, textOf(file)));
}

/** @returns {{ name: string, kind: string, help: string, labels: string[], note: string, file: string }[]} */
export function metricsOf(file, text) {
  if (!KINDS.some((kind) => text.includes(`${kind}(`))) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node, note) => {
    const own = ts.isVariableStatement(node) ? commentOf(node) : note;
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && KINDS.includes(node.expression.text)) {
      const [name, help, labels] = node.arguments;
      if (name !== undefined && ts.isStringLiteral(name) && ts.isStringLiteral(help)) {
        found.push({
          file,
          kind: node.expression.text,
          name: name.text,
          help: help.text,
          labels: textsOf(labels),
          note: own,
        });
      }
    }
    ts.forEachChild(node, (child) => visit(child, own));
  };
  visit(source, '');
  return found;
}

function commentOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  return comment === undefined ? '' : (ts.getTextOfJSDocComment(comment.comment) ?? '').replace(/\s+/g, ' ');
}

function textsOf(labels) {
  return labels !== undefined && ts.isArrayLiteralExpression(labels) ? labels.elements.map(({ text }) => text) : [];
}

function textOf(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch (error) {
    // Deleted, and git still lists it.
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
