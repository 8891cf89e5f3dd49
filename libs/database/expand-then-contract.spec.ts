import { describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';

/** What a build that does not know of the migration would trip over while both are at work. */
const CONTRACTS: [what: string, statement: RegExp][] = [
  ['drops something that may be in use', /\bDROP\s+(TABLE|COLUMN|VIEW|TYPE|FUNCTION)\b/i],
  ['renames something', /\bRENAME\b/i],
  ['changes a column’s type', /\bALTER\s+(COLUMN\s+)?"?\w+"?\s+(SET\s+DATA\s+)?TYPE\b/i],
  ['asks for a value that older writers leave out', /\bSET\s+NOT\s+NULL\b/i],
  [
    'adds a column that older writers leave empty',
    /\bADD\s+(COLUMN\s+)?(?!CONSTRAINT)"?\w+"?(?![^,]*\bDEFAULT\b)[^,]*\bNOT\s+NULL\b/i,
  ],
  ['adds a rule that rows of older writers may break', /\bADD\s+CONSTRAINT\b[^;]*\b(CHECK|FOREIGN\s+KEY|UNIQUE)\b/i],
  ['makes an index that rows of older writers may break', /\bCREATE\s+UNIQUE\s+INDEX\b/i],
];

/**
 * Contractions of what no build since the named one uses any more, by the migration's name: the release before must have
 * stopped using it.
 */
const ALLOWED: Record<string, string> = {};

/** Those before it are older than the rule; nothing was released with them alone. */
const FOUNDED = 1795285200000;

async function statementsOf(migration: { up(runner: QueryRunner): Promise<void> }): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return [];
  };
  await migration.up({ query } as unknown as QueryRunner);
  return statements;
}

function faultsOf(statements: string[]): string[] {
  // What is said of a table that the same migration makes concerns nobody else.
  const made = new Set(statements.flatMap((sql) => /CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(sql)?.[1] ?? []));
  return statements.flatMap((sql) => {
    const table = /(?:ALTER TABLE|\bON|UPDATE)\s+(?:ONLY\s+)?(?:"?public"?\.)?"?(\w+)"?/i.exec(sql)?.[1] ?? '';
    if (made.has(table) || /^\s*CREATE TABLE/i.test(sql)) return [];
    return CONTRACTS.flatMap(([what, pattern]) => (pattern.test(sql) ? [`${what}: ${sql}`] : []));
  });
}

describe('a migration leaves alone what the build before it uses', () => {
  it.each(MIGRATIONS.map((Migration) => new Migration()).filter(({ name }) => Number(name.slice(-13)) >= FOUNDED))(
    '$name',
    async (migration) => {
      if (migration.name in ALLOWED) return;
      expect(faultsOf(await statementsOf(migration))).toEqual([]);
    },
  );

  it.each([
    `ALTER TABLE "jobs" DROP COLUMN "sources"`,
    `DROP TABLE "folds"`,
    `ALTER TABLE "jobs" RENAME COLUMN "a" TO "b"`,
    `ALTER TABLE "jobs" ALTER COLUMN "tag" TYPE varchar(10)`,
    `ALTER TABLE "jobs" ALTER COLUMN "batch_id" SET NOT NULL`,
    `ALTER TABLE "jobs" ADD "kind" text NOT NULL`,
    `ALTER TABLE "jobs" ADD CONSTRAINT "c" CHECK (priority < 5)`,
    `CREATE UNIQUE INDEX "i" ON "jobs" ("tag")`,
  ])('%s would not', (sql) => expect(faultsOf([sql])).toHaveLength(1));

  it.each([
    `ALTER TABLE "jobs" ADD "kind" text`,
    `ALTER TABLE "jobs" ADD COLUMN "kind" text NOT NULL DEFAULT 'film'`,
    `ALTER TABLE "jobs" ALTER COLUMN "tag" DROP NOT NULL`,
    `CREATE INDEX "i" ON "jobs" ("tag")`,
    `CREATE TABLE "more" ("id" uuid NOT NULL)`,
  ])('%s would', (sql) => expect(faultsOf([sql])).toEqual([]));
});
