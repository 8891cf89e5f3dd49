/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { elementAt } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { World } from '../contract/world.js';

/** Whose row a column names, where it is the id of one: there are no foreign keys that would say so. */
const REFERS: Readonly<Record<string, string>> = {
  batch_id: 'batches',
  canary_id: 'model_canaries',
  chunk_id: 'chunks',
  class_id: 'dataset_classes',
  collection_id: 'index_collections',
  dataset_id: 'datasets',
  delivery_id: 'webhook_deliveries',
  dictionary_id: 'dictionaries',
  entry_id: 'storage_entries',
  export_id: 'exports',
  import_id: 'dataset_imports',
  job_id: 'jobs',
  maker_id: 'members',
  member_id: 'members',
  model_id: 'models',
  next_part: 'jobs',
  parent_id: 'batches',
  previous_part: 'jobs',
  report_id: 'reports',
  signer: 'workspaces',
  source_dataset_id: 'datasets',
  stream_id: 'streams',
  transcript_id: 'transcripts',
  variant_id: 'transcript_variants',
  webhook_id: 'webhooks',
  workspace_id: 'workspaces',
};
/** Ids that name no row, or one of any table: what a request makes. */
const NAMES_NOTHING = new Set([
  'idempotency_keys.new_id',
  'leases.holder',
  'search_documents.paragraph_id',
  'workspace_events.subject_id',
]);

/** Tables that hold nothing of a workspace, or nothing for longer than a moment. */
const OF_NO_WORKSPACE = [
  'disk_uses',
  // Models of the whole installation.
  'followed_models',
  'leases',
  'migrations',
  // Keys of objects that are going, and messages on their way: they name ids and nothing else.
  'object_removals',
  'outbox',
  // Settings of the installation.
  'retention_defaults',
  'storage_removals',
  'workspaces',
];
/** Tables that fill with a workspace and a job made through the interface, or with its erasure. */
const MADE = new Set(['jobs', 'job_analyses', 'job_erasures', 'job_modules', 'job_sources', 'workspaces']);

interface Column {
  name: string;
  type: string;
  /** Tells whether a row may leave it out. */
  isOptional: boolean;
}

describe('the tables with rows of a workspace', () => {
  let world: World;
  let db: DataSource;
  let tables: Map<string, Column[]>;
  /** Ids of the rows of a table that are the workspace's. */
  const rows = new Map<string, string[]>();
  let count = 0;

  beforeAll(async () => {
    world = await World.start();
    ({ db } = world.gateway);
    tables = await readTables();
  }, 600_000);
  afterAll(() => world?.close());

  async function readTables(): Promise<Map<string, Column[]>> {
    const found: (Column & { table: string })[] = await db.query(
      `SELECT c.table_name AS table, c.column_name AS name, c.udt_name AS type,
              c.is_nullable = 'YES' OR c.column_default IS NOT NULL OR c.is_identity = 'YES' AS "isOptional"
         FROM information_schema.columns c
         JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, 2`,
    );
    const byTable = new Map<string, Column[]>();
    for (const { table, ...column } of found) byTable.set(table, [...(byTable.get(table) ?? []), column]);
    return byTable;
  }

  /** Columns that name rows of a workspace. */
  function references(table: string): Column[] {
    return (tables.get(table) ?? []).filter(({ name }) => REFERS[name] !== undefined);
  }

  it('tables are all known, and the owners of each of their ids', () => {
    const unknown = [...tables].flatMap(([table, columns]) =>
      columns
        .filter(({ name, type }) => name !== 'id' && (type === 'uuid' || (name.endsWith('_id') && type !== 'text')))
        .filter(({ name }) => REFERS[name] === undefined && !NAMES_NOTHING.has(`${table}.${name}`))
        .map(({ name }) => `${table}.${name}`),
    );
    expect(unknown).toEqual([]);
    expect([...tables.keys()].filter((table) => references(table).length === 0)).toEqual(OF_NO_WORKSPACE);
  });

  /** A row for each way in which one of the table may be the workspace's. */
  async function fill(table: string): Promise<void> {
    const columns = tables.get(table) ?? [];
    const named = references(table).filter(({ name }) => REFERS[name] !== table);
    const optional = named.filter(({ isOptional }) => isOptional);
    const ways = optional.length === 0 ? [null] : optional;
    for (const way of ways) {
      count += 1;
      const values = new Map<string, unknown>();
      for (const column of columns) {
        const { name, type, isOptional } = column;
        const of = REFERS[name];
        const special = SPECIAL[table]?.[name];
        if (special !== undefined) values.set(name, special(count));
        else if (of !== undefined && named.includes(column) && (!isOptional || column === way))
          values.set(name, elementAt(rows.get(of) ?? [], -1));
        else if (!isOptional) values.set(name, valueOf(type, count));
      }
      const names = [...values.keys()];
      const [row]: Record<string, unknown>[] = await db.query(
        `WITH made AS (INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()})
           VALUES (${names.map((_, at) => `$${at + 1}`).join()}) RETURNING *) SELECT * FROM made`,
        [...values.values()],
      );
      if (row?.['id'] !== undefined) rows.set(table, [...(rows.get(table) ?? []), String(row['id'])]);
    }
  }

  /** Number of of its rows are the workspace's. */
  async function left(table: string): Promise<number> {
    const where = references(table).map(({ name }, at) => `"${name}"::text = ANY($${at + 1}::text[])`);
    const ids = references(table).map(({ name }) => rows.get(REFERS[name] ?? '') ?? []);
    const [row]: { count: number }[] = await db.query(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where.join(' OR ')}`,
      ids,
    );
    return row?.count ?? 0;
  }

  it('tables keep no row of an erased workspace', async () => {
    const workspace = await world.ask('POST', '/api/v1/workspaces/', { name: 'newsroom' });
    const { id, key } = workspace.json<{ id: string; key: string }>();
    const job = await world.ask('POST', '/api/v1/jobs/', world.order, { authorization: `Key ${key}` });
    rows.set('workspaces', [id]).set('jobs', [job.json<{ id: string }>().id]);

    const ours = [...tables.keys()].filter((table) => !OF_NO_WORKSPACE.includes(table));
    const waiting = new Set(ours.filter((table) => !MADE.has(table)));
    while (waiting.size > 0) {
      const before = waiting.size;
      for (const table of waiting) {
        const awaited = references(table).map(({ name }) => REFERS[name] ?? '');
        if (awaited.some((of) => of !== table && waiting.has(of))) continue;
        await fill(table);
        waiting.delete(table);
      }
      // A circle would wait for ever.
      expect(waiting.size).toBeLessThan(before);
    }
    const missing: string[] = [];
    for (const table of ours) if (table !== 'job_erasures' && (await left(table)) === 0) missing.push(table);
    expect(missing).toEqual([]);

    let erased = await world.ask('DELETE', `/api/v1/workspaces/${id}/`);
    // A gateway may be at it by itself.
    for (; erased.status === 409; erased = await world.ask('DELETE', `/api/v1/workspaces/${id}/`)) await sleep(50);
    expect(erased.status).toBe(200);
    const kept: string[] = [];
    // A job leaves a tombstone with nothing in it, for work in flight, until the sweeper takes it.
    for (const table of ours) if (table !== 'jobs' && (await left(table)) > 0) kept.push(table);
    expect(kept).toEqual([]);
  });
});

/** Values that a row has to have beside those that its columns ask for. */
const SPECIAL: Readonly<Record<string, Readonly<Record<string, (count: number) => unknown>>>> = {
  // A file in parts.
  storage_entries: { key: (count) => `private-${count}`, upload_length: () => 1 },
};

function valueOf(type: string, count: number): unknown {
  switch (type) {
    case 'uuid':
      return randomUUID();
    case 'text':
      return `private ${count}`;
    case 'jsonb':
      return '{}';
    case 'date':
    case 'timestamptz':
      return new Date();
    case 'bool':
      return false;
    case 'bytea':
      return Buffer.from('private');
    default:
      return type.startsWith('_') ? '{}' : count;
  }
}
