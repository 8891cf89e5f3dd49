import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';

/** Lease of work that one process of the installation does at a time; another takes over when it has died. */
export class InstallationLease {
  private readonly holder = randomUUID();
  private taken = -Infinity;

  constructor(
    private readonly db: DataSource,
    private readonly name: string,
    /** Time that it lasts without renewal. */
    private readonly seconds: number,
  ) {}

  /** Acquires or renews it; false while another process holds it. */
  async take(): Promise<boolean> {
    const rows: unknown[] = await this.db.query(
      `WITH taken AS (
         INSERT INTO leases (name, holder, lease_until) VALUES ($1, $2, now() + make_interval(secs => $3))
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
          WHERE leases.holder = excluded.holder OR leases.lease_until <= now()
         RETURNING 1)
       SELECT * FROM taken`,
      [this.name, this.holder, this.seconds],
    );
    if (rows.length > 0) this.taken = performance.now();
    return rows.length > 0;
  }

  /** True while it is held; renews it when a third of its time has passed. */
  async keep(): Promise<boolean> {
    return performance.now() - this.taken < (this.seconds * 1000) / 3 || this.take();
  }

  async release(): Promise<void> {
    this.taken = -Infinity;
    await this.db.query('DELETE FROM leases WHERE name = $1 AND holder = $2', [this.name, this.holder]);
  }
}

/** Releases all leases, for a process that is alone with its database. */
export async function voidInstallationLeases(manager: EntityManager): Promise<void> {
  await manager.query('DELETE FROM leases');
}
