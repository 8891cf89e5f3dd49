import { dropOldest, elementAt, matchGreedily, type Pair } from '@adit/contracts';
import type { IdentityClaim } from '@adit/module-kit';
import { inTimeSlices } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { CentroidTable } from './centroid-table.js';

const NOBODY: ReadonlySet<number> = new Set();
/** Tables of centroids cached between transactions; one of 10,000 identities takes 20 MB. */
const KEPT = 8;

interface Collection {
  name: string;
  table: CentroidTable;
  /** Collection of the claims. */
  maxDistance: number;
}

/**
 * Cache of the groups of jobs that have no gallery, in memory between transactions. A table is reused when the
 * database confirms that it is the last committed version, by whichever process.
 */
export class IdentityCache {
  private readonly tables = new Map<string, { version: string; table: CentroidTable }>();

  /** Opens the groups for one transaction, which holds the job's row. */
  of(manager: EntityManager, jobId: string): Identities {
    return new Identities(manager, jobId, this);
  }

  /** Hands a table out; `keep` returns it when its changes are committed. */
  take(jobId: string, collection: string): { version: string; table: CentroidTable } | null {
    const key = `${jobId}/${collection}`;
    const kept = this.tables.get(key) ?? null;
    this.tables.delete(key);
    return kept;
  }

  keep(jobId: string, collection: string, kept: { version: string; table: CentroidTable }): void {
    this.tables.set(`${jobId}/${collection}`, kept);
    dropOldest(this.tables, KEPT);
  }
}

/**
 * Groups of one job within one transaction: each collection is read and written once at most. The caller holds the
 * job's row, so numbers are dense and no identity is created twice.
 */
export class Identities {
  private readonly collections = new Map<string, Collection>();
  private readonly versions = new Map<string, string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly jobId: string,
    private readonly cache: IdentityCache,
  ) {}

  /**
   * Assigns a claim to the nearest identity of its collection within reach, or creates a new one (leader clustering
   * with running means). `flush` writes the result.
   *
   * @param beside - numbers of those who are shown together with the claim: they are somebody else.
   * @returns the identity's number within the collection, from 1.
   */
  async assign(
    { collection, embedding, maxDistance }: IdentityClaim,
    beside: ReadonlySet<number> = NOBODY,
  ): Promise<number> {
    const { table } = await this.open(collection, embedding.length, maxDistance);
    if (beside.size === 0) return table.add(await inTimeSlices(table.search(embedding, maxDistance)), embedding);
    const near = await inTimeSlices(table.within(embedding, maxDistance));
    const [nearest] = near.filter(({ row }) => !beside.has(row + 1)).sort((a, b) => a.distance - b.distance);
    return table.add(nearest?.row ?? null, embedding);
  }

  /**
   * Assigns claims of people in one picture: no two of them get one identity. Of two that are near the same one, the
   * nearer gets it. All claims belong to one collection.
   *
   * @returns their numbers, in the claims' order.
   */
  async assignApart(claims: readonly IdentityClaim[]): Promise<number[]> {
    const [first] = claims;
    if (first === undefined) return [];
    const { table } = await this.open(first.collection, first.embedding.length, first.maxDistance);
    const pairs: Pair<IdentityClaim, number>[] = [];
    for (const claim of claims) {
      const near = await inTimeSlices(table.within(claim.embedding, claim.maxDistance));
      pairs.push(...near.map(({ row, distance }) => ({ left: claim, right: row, cost: distance })));
    }
    const rows = new Map(matchGreedily(pairs).map(({ left, right }) => [left, right]));
    return claims.map((claim) => table.add(rows.get(claim) ?? null, claim.embedding));
  }

  /** Writes the changes, by one statement for each collection. */
  async flush(): Promise<void> {
    for (const { name, table, maxDistance } of this.collections.values()) {
      const changed = table.takeChanged();
      if (changed.length === 0) continue;
      const [{ xmin }]: [{ xmin: string }] = await this.manager.query(WRITE, [
        this.jobId,
        name,
        changed.map(({ number }) => number),
        changed.map(({ centroid }) => centroid),
        changed.map(({ members }) => members),
        maxDistance,
      ]);
      this.versions.set(name, `${table.count}/${table.members}/${xmin}`);
    }
  }

  /** Keeps the tables once the transaction has committed, so that the next one need not read them again. */
  keep(): void {
    for (const { name, table } of this.collections.values()) {
      const version = this.versions.get(name);
      if (version !== undefined) this.cache.keep(this.jobId, name, { version, table });
    }
  }

  private async open(name: string, dimensions: number, maxDistance: number): Promise<Collection> {
    const open = this.collections.get(name);
    if (open !== undefined) return open;
    const kept = this.cache.take(this.jobId, name);
    const rows: { version: string; number: number | null; centroid: Buffer; members: number }[] =
      await this.manager.query(READ, [this.jobId, name, kept?.version ?? '']);
    const { version } = elementAt(rows, 0);
    let table = kept?.table;
    if (table === undefined || kept?.version !== version) {
      table = new CentroidTable(dimensions);
      for (const { number, centroid, members } of rows) if (number !== null) table.load(centroid, members);
    }
    const collection = { name, table, maxDistance };
    this.collections.set(name, collection);
    this.versions.set(name, version);
    return collection;
  }
}

/** Reads the version of a collection, and its rows when the version is not `$3`. */
const READ = `
  WITH v AS (
    SELECT concat_ws('/', count(*), coalesce(sum(members), 0), max(xmin::text::bigint)) AS version
      FROM identities WHERE job_id = $1 AND collection = $2)
  SELECT v.version, i.number, i.centroid, i.members
    FROM v LEFT JOIN identities i ON v.version <> $3 AND i.job_id = $1 AND i.collection = $2
   ORDER BY i.number`;

const WRITE = `
  WITH written AS (
    INSERT INTO identities (job_id, collection, number, centroid, members, max_distance)
    SELECT $1, $2, *, $6::float8 FROM unnest($3::int[], $4::bytea[], $5::int[])
    ON CONFLICT (job_id, collection, number)
    DO UPDATE SET centroid = excluded.centroid, members = excluded.members, max_distance = excluded.max_distance
    RETURNING xmin)
  SELECT max(xmin::text::bigint)::text AS xmin FROM written`;
