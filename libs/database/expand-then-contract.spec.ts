import { beforeAll, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from './concurrent-index.js';
import { MIGRATIONS } from './migrations/index.js';

/** Statements that break a build that does not know the migration while both run. */
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
/** Index on a table that may be large by then: writers are blocked until it is made. */
const INDEX = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\b/i;
const INDEX_APART = /\b(?:CREATE\s+(?:UNIQUE\s+)?|DROP\s+)INDEX\s+CONCURRENTLY\b/i;
const DROPPED_INDEX = /\bDROP\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+EXISTS\s+)?(?:"?public"?\.)?"?(\w+)"?/i;

/**
 * Contractions of schema that no build since the named one uses, by the migration's name: the release before must
 * have stopped using it.
 */
const ALLOWED: Record<string, string> = {};

/** Migrations before it are older than the rule; nothing was released with them alone. */
const FOUNDED = 1795285200000;
/** Migrations before it make their indexes while they lock the table. */
const APART_SINCE = 1795960000000;

const timeOf = (name: string): number => Number(name.slice(-13));

/** @param found what the database answers who looks for an index */
async function statementsOf(migration: Pick<MigrationInterface, 'up'>, found: unknown[] = []): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return found;
  };
  await migration.up({ query } as unknown as QueryRunner);
  return statements;
}

/** Ways in which a migration blocks users of an existing table, or cannot be restarted after an abort. */
async function indexFaultsOf(migration: Pick<MigrationInterface, 'up' | 'transaction'>): Promise<string[]> {
  const statements = await statementsOf(migration);
  const made = madeBy(statements);
  const changes = statements.filter((sql) => !/^\s*SELECT\b/i.test(sql));
  const apart = changes.filter((sql) => INDEX_APART.test(sql));
  if (migration.transaction !== false) {
    return changes.flatMap((sql) => {
      if (INDEX_APART.test(sql)) return [`needs \`transaction = false\`: ${sql}`];
      return INDEX.test(sql) && !made.has(tableOf(sql))
        ? [`makes an index with others kept out, not by makeIndex: ${sql}`]
        : [];
    });
  }
  const others = changes.filter((sql) => !apart.includes(sql));
  // A migration aborted anywhere is restarted: valid indexes stay by then, invalid ones are dropped first.
  const again = (await statementsOf(migration, [{ valid: true }])).filter((sql) => INDEX.test(sql));
  return [
    ...others.map((sql) => `does without a transaction what belongs into a migration with one: ${sql}`),
    ...again.map((sql) => `makes again what is there, not by makeIndex: ${sql}`),
  ];
}

/** Statements on a table that the same migration makes concern nobody else. */
function madeBy(statements: string[]): Set<string> {
  return new Set(statements.flatMap((sql) => /CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(sql)?.[1] ?? []));
}

function tableOf(sql: string): string {
  return /(?:ALTER TABLE|\bON|UPDATE)\s+(?:ONLY\s+)?(?:"?public"?\.)?"?(\w+)"?/i.exec(sql)?.[1] ?? '';
}

/** Unique indexes of any migration, which writers may count on; others only serve searches. */
async function uniqueIndexes(): Promise<Set<string>> {
  const statements = await Promise.all(MIGRATIONS.map((Migration) => statementsOf(new Migration())));
  return new Set(statements.flat().flatMap((sql) => UNIQUE_INDEX.exec(sql)?.[1] ?? []));
}

function faultsOf(statements: string[], unique: Set<string>): string[] {
  const made = madeBy(statements);
  return statements.flatMap((sql) => {
    if (made.has(tableOf(sql)) || /^\s*CREATE TABLE/i.test(sql)) return [];
    const faults = CONTRACTS.flatMap(([what, pattern]) => (pattern.test(sql) ? [`${what}: ${sql}`] : []));
    const dropped = DROPPED_INDEX.exec(sql)?.[1];
    if (dropped !== undefined && unique.has(dropped)) faults.push(`drops what older writers count on: ${sql}`);
    return faults;
  });
}

/** @hardening jobs: A build cannot read messages and rows of the next one */
describe('a migration leaves alone what the build before it uses', () => {
  let unique: Set<string>;
  beforeAll(async () => {
    unique = await uniqueIndexes();
  });

  it.each(MIGRATIONS.map((Migration) => new Migration()).filter(({ name }) => timeOf(name) >= FOUNDED))(
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
    // Chunks have their place, segments their number as key.
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

describe('a migration makes indexes while others write', () => {
  const migration = (up: (runner: QueryRunner) => Promise<unknown>, transaction?: false) => ({
    up: async (runner: QueryRunner) => void (await up(runner)),
    ...(transaction === undefined ? {} : { transaction }),
  });

  it('from the one on that came after the rule', async () => {
    const newer = MIGRATIONS.map((Migration) => new Migration()).filter(({ name }) => timeOf(name) >= APART_SINCE);
    for (const each of newer) expect([each.name, await indexFaultsOf(each)]).toEqual([each.name, []]);
  });

  it.each([
    migration((runner) => runner.query(`CREATE INDEX "i" ON "jobs" ("tag")`)),
    migration((runner) => makeIndex(runner, 'i', 'ON "jobs" ("tag")')),
    migration((runner) => runner.query(`ALTER TABLE "jobs" ADD "kind" text`), false),
    migration((runner) => runner.query(`CREATE INDEX "i" ON "jobs" ("tag")`), false),
    migration((runner) => runner.query(`CREATE INDEX CONCURRENTLY "i" ON "jobs" ("tag")`), false),
    migration((runner) => runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "jobs" ("tag")`), false),
  ])('not so: %#', async (wrong) => expect(await indexFaultsOf(wrong)).not.toEqual([]));

  it.each([
    migration((runner) => makeIndex(runner, 'i', 'ON "jobs" ("tag")'), false),
    migration((runner) => dropIndex(runner, 'i'), false),
    migration(async (runner) => {
      await runner.query(`CREATE TABLE "more" ("id" uuid NOT NULL)`);
      await runner.query(`CREATE INDEX "i" ON "more" ("id")`);
    }),
  ])('so: %#', async (right) => expect(await indexFaultsOf(right)).toEqual([]));
});
