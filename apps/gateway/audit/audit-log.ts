import { AuditEntryEntity, inTransaction } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

const log = createLogger('audit');
const WRITE_EVERY_MS = 200;
const MAX_BATCH = 500;
/** When the database is away for long, the newest lines are dropped, and said to be. */
const MAX_WAITING = 20_000;
const CLEAN_EVERY_MS = 3_600_000;
/** Lines that one statement removes. */
const CLEANED = 1_000;

export type AuditLine = Omit<AuditEntryEntity, 'id'>;

/** Writes who changed what: lines about credentials at once, all others together, so that no request costs a statement. */
@Injectable()
export class AuditLog implements BeforeApplicationShutdown {
  private waiting: AuditLine[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();
  private cleaned = -Infinity;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'auditDays'>,
  ) {}

  /** Resolves when the line is in the database, or in the transaction of what it tells. */
  async write(line: AuditLine, manager?: EntityManager): Promise<void> {
    if (manager === undefined) await this.insert([line]);
    else await insertLines(manager, [line]);
  }

  /** The line is in the database within a second; it is lost when the process is killed before. */
  note(line: AuditLine): void {
    if (this.waiting.length >= MAX_WAITING) {
      log.error({ action: line.action, resource: line.resource }, 'a line of the audit log was dropped');
      return;
    }
    this.waiting.push(line);
    this.timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS);
  }

  /** Resolves when everything noted so far was written, or could not be for now. */
  flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.writing = this.writing.then(() => this.writeWaiting());
    return this.writing;
  }

  /** While the database is there still. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async writeWaiting(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const lines = this.waiting.slice(0, MAX_BATCH);
        await this.insert(lines);
        this.waiting = this.waiting.slice(lines.length);
      }
      await this.clean();
    } catch (error) {
      log.warn({ err: error, waiting: this.waiting.length }, 'the audit log could not be written; it is tried again');
      this.timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS * 25).unref();
    }
  }

  private async insert(lines: AuditLine[]): Promise<void> {
    await inTransaction(this.db, (manager) => insertLines(manager, lines));
  }

  /**
   * Removes the lines of each workspace that are older than it keeps them. Its admins may keep them for longer than the
   * installation does, not for less: they could hide what they did.
   */
  private async clean(): Promise<void> {
    if (performance.now() - this.cleaned < CLEAN_EVERY_MS) return;
    this.cleaned = performance.now();
    const workspaces: { id: string; seconds: string | null }[] = await this.db.query(
      `SELECT id, (retention ->> 'audit_lines')::bigint AS seconds FROM workspaces`,
    );
    const least = this.config.auditDays * 86_400;
    for (const { id, seconds } of workspaces) {
      while ((await this.removeOldest(id, Math.max(Number(seconds ?? 0), least))) === CLEANED);
    }
  }

  /** Removes those of the oldest lines that are over. Lines are numbered in the order of their times, but for seconds. */
  private async removeOldest(workspaceId: string, seconds: number): Promise<number> {
    const [row]: { count: number }[] = await this.db.query(
      `WITH oldest AS MATERIALIZED (
         SELECT id FROM audit_entries WHERE workspace_id = $1 ORDER BY id LIMIT ${CLEANED}
       ), gone AS (
         DELETE FROM audit_entries a USING oldest o
          WHERE a.id = o.id AND a.time < now() - make_interval(secs => $2) RETURNING 1)
       SELECT count(*)::int AS count FROM gone`,
      [workspaceId, seconds],
    );
    return row?.count ?? 0;
  }
}

/** Lines of a workspace that is being erased are left out: nobody could read or remove them any more. */
async function insertLines(manager: EntityManager, lines: AuditLine[]): Promise<void> {
  const ids = [...new Set(lines.map(({ workspaceId }) => workspaceId))];
  // Locked, so that an erasure either waits for these lines and takes them with it, or has begun before them.
  const rows: { id: string }[] = await manager.query(
    'SELECT id FROM workspaces WHERE id = ANY($1::uuid[]) AND time_deleted IS NULL ORDER BY id FOR SHARE',
    [ids],
  );
  const alive = new Set(rows.map(({ id }) => id));
  const kept = lines.filter(({ workspaceId }) => alive.has(workspaceId));
  if (kept.length > 0) await manager.insert(AuditEntryEntity, kept);
}
