import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { isShipped } from './casts.mjs';

const root = join(import.meta.dirname, '../..');

const ENTITIES = /^libs\/database\/entities\//;
/** Migrations change tables of everybody. */
const MIGRATIONS = /^libs\/database\/migrations\//;

/** Statements of these are for whichever table a caller names: leases have columns of their own in it. */
const FOR_ANY_TABLE = new Set([
  'libs/database/erasure-of-job.ts',
  'libs/database/erasure-of-workspace.ts',
  'libs/leases/leased-rows.ts',
]);
/** Functions that write the table which they are given the name of. */
const GIVEN_A_TABLE = new Set(['rowsOfJob', 'rowsOfWorkspace']);
/** Methods of TypeORM's managers and builders that write the table of the entity that they are given. */
const WRITING = new Set([
  ...['insert', 'update', 'upsert', 'delete', 'save', 'remove', 'softDelete', 'softRemove', 'restore', 'recover'],
  ...['increment', 'decrement', 'clear', 'into', 'getRepository'],
]);
/** Methods of a manager that take an object of any entity: which one, the source does not say. */
const OF_ANY_ENTITY = new Set(['save', 'remove', 'softRemove', 'recover']);

/** In a template, where something is put in. */
const HOLE = '\ufffc';
const STATEMENT =
  /(?<!\b(?:FOR|DO|KEY)\s+)\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|COPY)\s+(?:TABLE\s+|ONLY\s+)?"?([a-z_]\w*|\ufffc)/g;

/** Tables by the names of their entities' classes, as a file declares them. */
export function entitiesIn(path, text) {
  const tables = new Map();
  const visit = (node) => {
    if (ts.isClassDeclaration(node)) {
      const table = tableOf(node);
      if (table !== null) tables.set(node.name?.text, table);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return tables;
}

function tableOf(declaration) {
  for (const { expression } of ts.getDecorators(declaration) ?? []) {
    if (!ts.isCallExpression(expression) || expression.expression.getText() !== 'Entity') continue;
    const [first] = expression.arguments;
    if (first !== undefined && ts.isStringLiteral(first)) return first.text;
    for (const property of first?.properties ?? [])
      if (property.name.getText() === 'name') return property.initializer.text;
  }
  return null;
}

/**
 * Where a source writes tables: by TypeORM, by SQL, or by a function that is given a table's name. A file that puts a name into
 * a statement writes each table that it names; `unknown` are the lines where it names none.
 *
 * @param {Map<string, string>} entities tables by their entities' names
 * @returns {{ writes: { table: string, line: number }[], unknown: number[] }} lines, from 1
 */
export function writesIn(path, text, entities) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const tables = new Set(entities.values());
  const writes = [];
  const named = [];
  const dynamic = [];
  const unknown = [];
  const visit = (node) => {
    const line = () => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const method = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : null;
      const entity = first !== undefined && ts.isIdentifier(first) ? entities.get(first.text) : undefined;
      if (entity !== undefined && (WRITING.has(method) || isDeletionFrom(node)))
        writes.push({ table: entity, line: line() });
      else if (OF_ANY_ENTITY.has(method) && /\bmanager$/i.test(node.expression.expression.getText()))
        unknown.push(line());
    }
    if (ts.isIdentifier(node) && GIVEN_A_TABLE.has(node.text) && !ts.isImportSpecifier(node.parent)) {
      const call = ts.isCallExpression(node.parent) && node.parent.expression === node ? node.parent : null;
      const given = call?.arguments[0];
      if (given !== undefined && ts.isStringLiteral(given)) writes.push({ table: given.text, line: line() });
      else dynamic.push(line());
    }
    if (isText(node)) {
      const sql = textOf(node);
      if (tables.has(sql)) named.push({ table: sql, line: line() });
      for (const [, name] of sql.matchAll(STATEMENT)) {
        if (tables.has(name)) writes.push({ table: name, line: line() });
        if (name === HOLE) dynamic.push(line());
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (FOR_ANY_TABLE.has(path)) return { writes, unknown };
  if (dynamic.length > 0 && named.length === 0) unknown.push(...dynamic);
  return { writes: dynamic.length > 0 ? [...writes, ...named] : writes, unknown };
}

/** `builder.delete().from(Entity)`. */
function isDeletionFrom({ expression }) {
  return (
    ts.isPropertyAccessExpression(expression) &&
    expression.name.text === 'from' &&
    /\bdelete\(\)\s*$/.test(expression.expression.getText())
  );
}

function isText(node) {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
}

function textOf(node) {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `${HOLE}${literal.text}`).join('');
}

/**
 * The packages that write each table, each with the places where it does.
 *
 * @returns {{ writers: Map<string, Map<string, string[]>>, unknown: string[] }} places as `path:line`
 */
export function tableWriters(folder = root) {
  const git = (...args) =>
    execFileSync('git', ['ls-files', '-z', ...args], { cwd: folder, encoding: 'utf8' }).split('\0');
  // It lists those that were removed and not staged, and each version of those in a conflict.
  const removed = new Set(git('-d'));
  const files = new Set(git('-co', '--exclude-standard', 'apps', 'libs').filter((path) => !removed.has(path)));
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const shipped = [...files].filter((path) => isShipped(path) && !MIGRATIONS.test(path));
  const entities = new Map(
    shipped.filter((path) => ENTITIES.test(path)).flatMap((path) => [...entitiesIn(path, read(path))]),
  );
  const writers = new Map();
  const unknown = [];
  for (const path of shipped) {
    const found = writesIn(path, read(path), entities);
    unknown.push(...found.unknown.map((line) => `${path}:${line}`));
    for (const { table, line } of found.writes) {
      const places = writers.get(table) ?? new Map();
      const name = path.split('/').slice(0, 2).join('/');
      places.set(name, [...(places.get(name) ?? []), `${path}:${line}`]);
      writers.set(table, places);
    }
  }
  return { writers, unknown };
}
