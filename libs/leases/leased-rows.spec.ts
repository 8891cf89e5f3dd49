import { randomUUID } from 'node:crypto';
import { openDatabase, returned, type Database } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  claimOldest,
  claimRow,
  isHeld,
  isWanted,
  releaseRow,
  renewLease,
  updateHeld,
  voidLeases,
  type Held,
  type LeasedTable,
  type RowKey,
} from './leased-rows.js';
import {
  ANALYSES,
  CHUNKS,
  CLIPS,
  DATASET_CLASSES,
  DATASET_ERASURES,
  DATASET_IMAGES,
  DATASET_IMPORTS,
  EXPORTS,
  JOB_ENDINGS,
  LEASED_TABLES,
  REPORTS,
  SEARCH_FEED,
  SOURCES,
  STREAMS,
  THUMBNAILS,
  TRAININGS,
} from './leased-tables.js';

/** Lease that a row's steps never outlast, however busy the machine is. */
const LEASE_SECONDS = 1_000;

/** Steps of two processes with one row, and their failures. */
type Step =
  | { do: 'claim' | 'renew' | 'complete' | 'die'; worker: number }
  | { do: 'release'; worker: number; blamed: boolean; seconds: number }
  | { do: 'wait'; seconds: number };

const worker = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), worker }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('complete' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('die' as const), worker }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      worker,
      blamed: fc.boolean(),
      seconds: fc.constantFrom(0, 500),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(400, 1_100) }) },
);

interface Kind {
  rows: LeasedTable;
  /** Writes a row whose work is requested. */
  add(): Promise<RowKey>;
  /** SQL: the work has ended. */
  ended: string;
}

describe('leased rows', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());

  const sql = (text: string, parameters: unknown[] = []) => database.dataSource.query(text, parameters);
  const [workspace, nobody] = [randomUUID(), randomUUID()];

  async function job(): Promise<string> {
    const id = randomUUID();
    await sql(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type)
       VALUES ($1, $2, 't', 'processing', 5, 4, 'video')`,
      [id, workspace],
    );
    return id;
  }

  async function task(table: string, values: Record<string, unknown>): Promise<RowKey> {
    const row = { id: randomUUID(), workspace_id: workspace, ...values };
    const places = Object.keys(row).map((_, index) => `$${index + 1}`);
    await sql(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
    return { id: row.id };
  }
  const report = () => task('reports', { batch_id: nobody, title: 'x' });

  const requested = { ended: `state = 'done'` };
  const done = { ended: `state = 'completed', lease_until = NULL` };
  const kinds: Kind[] = [
    {
      rows: SOURCES,
      ended: `state = 'planned'`,
      add: async () => {
        const id = await job();
        await sql(`INSERT INTO job_sources (job_id, index, uri, state) VALUES ($1, 0, 'u', 'requested')`, [id]);
        return { job_id: id, index: 0 };
      },
    },
    {
      rows: CHUNKS,
      ...requested,
      add: async () => {
        const id = randomUUID();
        await sql(
          `INSERT INTO chunks (id, job_id, position, source_start, source_end, state) VALUES ($1, $2, 0, 0, 1, 'requested')`,
          [id, await job()],
        );
        return { id };
      },
    },
    {
      rows: ANALYSES,
      ...requested,
      add: async () => {
        const key = { chunk_id: randomUUID(), digest: 'd' };
        await sql(`INSERT INTO chunk_analyses (chunk_id, digest, job_id, state) VALUES ($1, 'd', $2, 'requested')`, [
          key.chunk_id,
          await job(),
        ]);
        return key;
      },
    },
    { rows: EXPORTS, ...done, add: () => task('exports', { strategy: 'x', config: '{}' }) },
    {
      rows: CLIPS,
      ...done,
      add: async () => task('clips', { job_id: await job(), digest: randomUUID(), cut: '{}' }),
    },
    { rows: REPORTS, ...done, add: report },
    { rows: JOB_ENDINGS, ...done, add: async () => task('job_endings', { job_id: await job() }) },
    {
      rows: THUMBNAILS,
      ended: `thumbnail = 'made'`,
      add: async () => {
        const [row] = returned<{ id: number }>(
          await sql(
            `INSERT INTO storage_entries (workspace_id, folder, name, is_folder, uploaded, thumbnail)
             VALUES ($1, '/', $2, false, true, 'requested') RETURNING id`,
            [workspace, randomUUID()],
          ),
        );
        return { id: row!.id };
      },
    },
    { rows: DATASET_ERASURES, ...done, add: () => task('dataset_erasures', { dataset_id: randomUUID() }) },
    { rows: DATASET_IMPORTS, ...done, add: () => task('dataset_imports', { dataset_id: randomUUID() }) },
    ...(['face', 'landmark'] as const).map((type) => ({
      rows: DATASET_IMAGES[type],
      ...done,
      add: async () => {
        const id = randomUUID();
        await sql(`INSERT INTO datasets (id, workspace_id, name, type) VALUES ($1, $2, 'd', $3)`, [
          id,
          workspace,
          type,
        ]);
        return task('dataset_images', { dataset_id: id, class_id: randomUUID(), storage_key: 'k' });
      },
    })),
    {
      rows: DATASET_CLASSES,
      ...done,
      add: () => task('dataset_classes', { dataset_id: randomUUID(), reference: 'r', label: 'l' }),
    },
    {
      rows: TRAININGS,
      ...done,
      add: () =>
        task('trainings', { dataset_id: randomUUID(), type: 'face', dataset: '{}', model_name: 'm', config: '{}' }),
    },
    { rows: STREAMS, ...done, add: async () => task('streams', { job_id: await job(), source_index: 0 }) },
    {
      rows: SEARCH_FEED,
      ...done,
      add: async () => {
        const id = await job();
        await sql('INSERT INTO search_feed (id, workspace_id) VALUES ($1, $2)', [id, workspace]);
        return { id };
      },
    },
  ];

  /** Model of one row between two processes, with its invariants after every step. */
  class Row {
    private readonly claims: (Held | null)[] = [null, null];
    private latest: Held | null = null;
    private blame = 0;
    /** Expiry of the latest attempt's lease, by the database's clock. */
    private now = 0;
    private aliveUntil = 0;
    completed = 0;

    constructor(
      private readonly kind: Kind,
      readonly key: RowKey,
    ) {}

    static async of(kind: Kind): Promise<Row> {
      return new Row(kind, await kind.add());
    }

    private get db() {
      return database.dataSource.manager;
    }

    async take(step: Step): Promise<void> {
      if (step.do === 'wait') await this.wait(step.seconds);
      else if (step.do === 'claim') await this.claim(step.worker);
      else await this.go(step);
      await this.check();
    }

    async claim(by: number): Promise<boolean> {
      if ((this.claims[by] ?? null) !== null) return false;
      const { rows } = this.kind;
      const isTaken = this.latest !== null && this.now < this.aliveUntil && rows.free !== 'true';
      const claim = await claimRow(this.db, rows, this.key, LEASE_SECONDS);
      if (isTaken) expect(claim).toBeNull();
      if (claim === null) return false;
      this.blame += 1;
      this.aliveUntil = this.now + LEASE_SECONDS;
      this.latest = this.claims[by] = { rows, key: this.key, ...claim };
      return true;
    }

    private async go(step: Exclude<Step, { do: 'wait' }>): Promise<void> {
      const held = this.claims[step.worker] ?? null;
      if (held === null) return;
      const holds = await isHeld(this.db, held);
      if (step.do === 'renew') {
        expect(await renewLease(this.db, held, LEASE_SECONDS)).toBe(holds);
        if (holds) this.aliveUntil = this.now + LEASE_SECONDS;
        return;
      }
      this.claims[step.worker] = null;
      if (step.do === 'die') return;
      if (step.do === 'complete') expect(await this.complete(held)).toBe(holds);
      else if (step.do === 'release') {
        expect(await releaseRow(this.db, held, step.seconds, { blamed: step.blamed })).toBe(holds);
        if (holds && !step.blamed) this.blame -= 1;
      }
      if (held === this.latest) this.latest = null;
    }

    private async complete(held: Held): Promise<boolean> {
      const ended = await updateHeld(this.db, held, this.kind.ended);
      if (ended) this.completed += 1;
      return ended;
    }

    /** Advances the clock of the database. */
    async wait(seconds: number): Promise<void> {
      this.now += seconds;
      const { name, leaseUntil, runningUntil } = this.kind.rows;
      const columns = runningUntil === null ? [leaseUntil] : [leaseUntil, runningUntil];
      const set = columns.map((column) => `${column} = ${column} - make_interval(secs => $1)`).join(', ');
      await sql(`UPDATE ${name} SET ${set} WHERE ${this.where(2)}`, [seconds, ...Object.values(this.key)]);
    }

    private where(from: number): string {
      return Object.keys(this.key)
        .map((column, index) => `${column} = $${from + index}`)
        .join(' AND ');
    }

    async check(): Promise<void> {
      const { name, attempts } = this.kind.rows;
      const [row] = await sql(
        `SELECT ${attempts} AS attempts FROM ${name} WHERE ${this.where(1)}`,
        Object.values(this.key),
      );
      expect(row.attempts).toBe(this.blame);
      const holding: Held[] = [];
      for (const claim of this.claims) if (claim !== null && (await isHeld(this.db, claim))) holding.push(claim);
      // One attempt at a time; the last one to begin holds the row, until it ends or another begins.
      expect(holding.length).toBeLessThanOrEqual(1);
      if (this.completed > 0) expect(holding).toEqual([]);
      else if (this.latest !== null && this.claims.includes(this.latest)) expect(holding).toEqual([this.latest]);
      expect(this.completed).toBeLessThanOrEqual(1);
    }

    /** All processes have died. The next one ends the remaining work, and nothing is ended twice. */
    async recover(): Promise<void> {
      const before = this.completed;
      await this.wait(3_600);
      this.claims.fill(null);
      expect(await this.claim(0)).toBe(before === 0);
      await this.take({ do: 'complete', worker: 0 });
      expect(this.completed).toBe(1);
      await this.wait(3_600);
      expect(await this.claim(1)).toBe(false);
    }
  }

  it('are listed for every table with a lease', () => {
    expect(new Set(kinds.map(({ rows }) => rows))).toEqual(new Set(LEASED_TABLES));
  });

  describe.each(kinds.map((kind) => ({ name: kind.rows.name, kind })))('of $name', ({ kind }) => {
    it('are held by one process at a time and ended once, whichever crashes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
          const row = await Row.of(kind);
          for (const each of steps) await row.take(each);
          await row.recover();
        }),
        { numRuns: 20 },
      );
    }, 120_000);
  });

  it('are claimed oldest first, each by one process', async () => {
    await sql('DELETE FROM reports');
    const keys: RowKey[] = [];
    for (let count = 0; count < 4; count++) {
      const key = await report();
      await sql(`UPDATE reports SET time_created = now() - make_interval(secs => $2) WHERE id = $1`, [
        key['id'],
        -count,
      ]);
      keys.push(key);
    }
    const claim = () => claimOldest(database.dataSource.manager, REPORTS, LEASE_SECONDS, workspace);
    const taken = [await claim(), ...(await Promise.all([claim(), claim(), claim()])), await claim()];
    expect(taken.map((held) => held?.key)).toEqual([...keys, undefined]);
    // The second process died of it: the lease runs out by the database's clock, whatever that of the process says.
    await sql(`UPDATE reports SET lease_until = now() WHERE id = $1`, [keys[1]!['id']]);
    expect(await claim()).toMatchObject({ key: keys[1], attempt: 2 });
  });

  it('of a former life are free at once for a process that is alone', async () => {
    const { manager } = database.dataSource;
    for (const kind of kinds) {
      const key = await kind.add();
      expect(await claimRow(manager, kind.rows, key, LEASE_SECONDS)).toMatchObject({ attempt: 1 });
      await voidLeases(manager, kind.rows);
      const { name, runningUntil } = kind.rows;
      if (runningUntil !== null) {
        const [{ running }] = await sql(
          `SELECT count(${runningUntil})::int AS running FROM ${name} WHERE ${kind.rows.open}`,
        );
        expect([name, running]).toEqual([name, 0]);
      }
      expect(await claimRow(manager, kind.rows, key, LEASE_SECONDS)).toMatchObject({ attempt: 2 });
    }
  });

  it('without a client that waits are neither begun nor kept', async () => {
    const jobId = await job();
    const key = await task('exports', { strategy: 'x', config: '{}', job_id: jobId });
    const { manager } = database.dataSource;
    const claim = (await claimRow(manager, EXPORTS, key, LEASE_SECONDS))!;
    const held: Held = { rows: EXPORTS, key, ...claim };
    expect([await isWanted(manager, held), await renewLease(manager, held, LEASE_SECONDS)]).toEqual([true, true]);
    await sql(`UPDATE jobs SET time_deleted = now() WHERE id = $1`, [jobId]);
    expect([await isWanted(manager, held), await renewLease(manager, held, LEASE_SECONDS)]).toEqual([false, false]);
    await sql(`UPDATE exports SET lease_until = now() WHERE id = $1`, [key['id']]);
    expect(await claimRow(manager, EXPORTS, key, LEASE_SECONDS)).toBeNull();
  });
});
