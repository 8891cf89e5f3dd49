/**
 * Statements of retention over tables that hold far more than is due. ADIT_TEST_ROWS rows of each kind, 20,000 by default; with
 * ADIT_TEST_PLANS=1 the statements are printed with their times.
 *
 * @needs servers
 */
import { WorkspaceEntity } from '@adit/database';
import { JobsUnderTest } from '@adit/jobs/testing';
import { describeWith, explainStatements, type ExplainedStatement } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { BATCH_SIZE } from './rule.js';
import { fillTables } from './testing/many-rows.js';
import { sweeperOf } from './testing/sweeper-of.js';

const ROWS = Number(process.env['ADIT_TEST_ROWS'] ?? 20_000);
const DUE = 7;
/** Rows that one statement may meet: those of a batch in each table that it joins. */
const MOST_READ = 8 * BATCH_SIZE;

await describeWith('postgres', 'the statements of a pass', () => {
  let jobs: JobsUnderTest;
  let statements: ExplainedStatement[];

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    await jobs.reset();
    await fillTables(jobs.db, jobs.workspaceId, { rows: ROWS, due: DUE });
    const retention = { results: 30 * 86_400, uploads: 30 * 86_400 };
    await jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { retention, heldTags: ['held'] });
    await jobs.db.query(
      `INSERT INTO retention_changes (workspace_id, kind, time_changed)
       SELECT $1, kind, now() - interval '1 hour' FROM unnest('{observations,artifacts}'::text[]) kind`,
      [jobs.workspaceId],
    );
    statements = explainStatements((jobs.db.driver as PostgresDriver).master);
    await sweeperOf(jobs).run();
    if (process.env['ADIT_TEST_PLANS'] !== undefined) printed(statements);
  }, 1_800_000);
  afterAll(() => jobs?.close());

  it('read no table from one end to the other', () => {
    const scans = statements.flatMap(({ sql, scanned }) =>
      [...scanned].flatMap(([table, rows]) => (rows >= MOST_READ ? [`${table}: ${sql}`] : [])),
    );
    expect([...new Set(scans)]).toEqual([]);
  });

  it('read what is due and little else', () => {
    const heavy = statements.filter(({ rowsRead }) => rowsRead > MOST_READ);
    expect([...new Set(heavy.map(({ sql, rowsRead }) => `${rowsRead} rows: ${sql}`))]).toEqual([]);
  });

  it('remove what is due of each kind, and nothing else', async () => {
    for (const table of ['artifacts', 'observations', 'clips', 'usage_days', 'workspace_events', 'idempotency_keys']) {
      const [{ count }] = await jobs.db.query(`SELECT count(*)::int AS count FROM ${table}`);
      expect([table, ROWS - count]).toEqual([table, DUE]);
    }
  });
});

function printed(statements: readonly ExplainedStatement[]): void {
  const shapes = [...new Set(statements.map(({ sql }) => sql))];
  const lines = shapes.map((shape) => {
    const runs = statements.filter(({ sql }) => sql === shape);
    const longest = Math.max(...runs.map(({ milliseconds }) => milliseconds));
    const most = Math.max(...runs.map(({ rowsRead }) => rowsRead));
    const text = `${longest.toFixed(1)} ms, ${most} rows, ${runs.length} runs: ${shape.replaceAll(/\s+/g, ' ').slice(0, 160)}`;
    return { longest, text };
  });
  const sorted = lines.toSorted((a, b) => b.longest - a.longest).map(({ text }) => text);
  process.stdout.write(`${sorted.join('\n')}\n`);
}
