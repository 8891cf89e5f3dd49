import { beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';

/** What a build that does not know of the migration would trip over while both are at work. */
const CONTRACTS: [what: string, statement: RegExp][] = [
  ['drops something that may be in use', /\bDROP\s+(TABLE|COLUMN|VIEW|TYPE|FUNCTION)\b/i],
  ['renames something', /\bRENAME\b/i],
  ['changes a column’s type', /\bALTER\s+(COLUMN\s+)?"?\w+"?\s+(SET\s+DATA\s+)?TYPE\b/i],
  ['asks for a value that older writers leave out', /\bSET\s+NOT\s+NULL\b/i],
  ['takes away the value that older writers leave out', /\bDROP\s+DEFAULT\b/i],
  [
    'adds a column that older writers leave empty',
    /\bADD\s+(COLUMN\s+)?(?!CONSTRAINT)"?\w+"?(?![^,]*\bDEFAULT\b)[^,]*\bNOT\s+NULL\b/i,
  ],
  ['adds a rule that rows of older writers may break', /\bADD\s+CONSTRAINT\b[^;]*\b(CHECK|FOREIGN\s+KEY|UNIQUE)\b/i],
  ['makes an index that rows of older writers may break', /\bCREATE\s+UNIQUE\s+INDEX\b/i],
  ['drops what older writers name by ON CONFLICT', /\bDROP\s+CONSTRAINT\s+(IF\s+EXISTS\s+)?"?(PK|UQ)_/i],
];
const UNIQUE_INDEX = /\bCREATE\s+UNIQUE\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/i;
const DROPPED_INDEX = /\bDROP\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+EXISTS\s+)?(?:"?public"?\.)?"?(\w+)"?/i;

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

/** Indexes that any migration makes and writers may count on; others only say where to look. */
async function uniqueIndexes(): Promise<Set<string>> {
  const statements = await Promise.all(MIGRATIONS.map((Migration) => statementsOf(new Migration())));
  return new Set(statements.flat().flatMap((sql) => UNIQUE_INDEX.exec(sql)?.[1] ?? []));
}

function faultsOf(statements: string[], unique: Set<string>): string[] {
  // What is said of a table that the same migration makes concerns nobody else.
  const made = new Set(statements.flatMap((sql) => /CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(sql)?.[1] ?? []));
  return statements.flatMap((sql) => {
    const table = /(?:ALTER TABLE|\bON|UPDATE)\s+(?:ONLY\s+)?(?:"?public"?\.)?"?(\w+)"?/i.exec(sql)?.[1] ?? '';
    if (made.has(table) || /^\s*CREATE TABLE/i.test(sql)) return [];
    const faults = CONTRACTS.flatMap(([what, pattern]) => (pattern.test(sql) ? [`${what}: ${sql}`] : []));
    const dropped = DROPPED_INDEX.exec(sql)?.[1];
    if (dropped !== undefined && unique.has(dropped)) faults.push(`drops what older writers count on: ${sql}`);
    return faults;
  });
}

describe('a migration leaves alone what the build before it uses', () => {
  let unique: Set<string>;
  beforeAll(async () => {
    unique = await uniqueIndexes();
  });

  it.each(MIGRATIONS.map((Migration) => new Migration()).filter(({ name }) => Number(name.slice(-13)) >= FOUNDED))(
    '$name',
    async (migration) => {
      if (migration.name in ALLOWED) return;
      expect(faultsOf(await statementsOf(migration), unique)).toEqual([]);
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
    `ALTER TABLE "jobs" ALTER COLUMN "sources" DROP DEFAULT`,
    `ALTER TABLE "folds" DROP CONSTRAINT "PK_1"`,
    // Chunks by their place, segments by their number.
    `DROP INDEX "public"."IDX_b9d42295445c1c52682d2ec154"`,
    `DROP INDEX CONCURRENTLY IF EXISTS "IDX_dccea64f2c2d909964746ec15f"`,
  ])('%s would not', (sql) => expect(faultsOf([sql], unique)).toHaveLength(1));

  it.each([
    `ALTER TABLE "jobs" ADD "kind" text`,
    `ALTER TABLE "jobs" ADD COLUMN "kind" text NOT NULL DEFAULT 'film'`,
    `ALTER TABLE "jobs" ALTER COLUMN "tag" DROP NOT NULL`,
    `CREATE INDEX "i" ON "jobs" ("tag")`,
    `CREATE TABLE "more" ("id" uuid NOT NULL)`,
    `DROP INDEX IF EXISTS "IDX_6daf061587063c1c985caef141"`,
    `ALTER TABLE "more" DROP CONSTRAINT "FK_1"`,
  ])('%s would', (sql) => expect(faultsOf([sql], unique)).toEqual([]));
});
