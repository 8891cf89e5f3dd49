import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { isShared } from './guarded-data-source.js';

const log = createLogger('database');
/** Interval at which another session reads which sessions block a migration. */
const POLL_MS = 1_000;
/** Interval at which a wait is logged again. */
const LOG_INTERVAL_MS = 30_000;

/** Session that blocks a migration. Fields that its user hides from ours are null. */
interface Blocker {
  pid: number;
  user: string | null;
  application: string | null;
  state: string | null;
  /** Duration of its transaction. */
  seconds: number | null;
}

const COLUMNS = `b.pid, b.usename AS "user", b.application_name AS application, b.state,
  extract(epoch FROM clock_timestamp() - b.xact_start)::int AS seconds`;

/** SQL: sessions that block sessions with this one's name: no other Adit session has the name of migrations. */
const BLOCKING = `
  SELECT DISTINCT ${COLUMNS}
    FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocking (pid)
    JOIN pg_stat_activity b ON b.pid = blocking.pid
   WHERE w.datname = current_database() AND w.application_name = current_setting('application_name')`;

/** Behind a pooler, which drops start parameters, the session outside of transactions has no other limit. */
const CANCEL = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = current_setting('application_name')
     AND cardinality(pg_blocking_pids(pid)) > 0`;

const HOLDING = `
  SELECT ${COLUMNS}
    FROM pg_locks l JOIN pg_stat_activity b ON b.pid = l.pid AND b.datname = current_database()
   WHERE l.locktype = 'advisory' AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1 AND l.granted`;

/** Blockers of migrations: a wait is logged when it begins and periodically, and given up in the end. */
export class Blockers {
  private since: number | null = null;
  private logged = { pids: '', at: -Infinity };
  private what = 'another session holds a lock';
  private advice = '';
  /** A statement that waited for too long was cancelled. */
  hasCancelled = false;

  constructor(
    private readonly dataSource: DataSource,
    /** Time limit of one wait. */
    private readonly seconds: number,
    /** Advisory lock of the migrations themselves. */
    private readonly lock: number,
  ) {}

  /** Logs blocking sessions while `work` runs. An embedded database has none. */
  async watch(migration: string, work: () => Promise<void>): Promise<void> {
    if (!isShared(this.dataSource)) return work();
    const ended = new AbortController();
    const watching = this.poll(migration, ended.signal);
    try {
      await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  /** Logs another process's migration, when that takes longer than a moment. */
  async logOtherMigration(): Promise<void> {
    this.since ??= performance.now();
    if (performance.now() - this.since < POLL_MS) return;
    this.logBlockers('the database is being migrated', await this.dataSource.query(HOLDING, [this.lock]));
  }

  /** Resets: no lock is waited for any more. */
  gone(): void {
    this.since = null;
  }

  isTimeOver(): boolean {
    this.since ??= performance.now();
    return performance.now() - this.since > this.seconds * 1000;
  }

  /** Error that names the lock, and what to do. */
  givenUp(cause?: unknown): AditError {
    const why = `The database could not be migrated within ${this.seconds} s: ${this.what}.`;
    const then = 'Then run "adit migrate", or start this again. DATABASE_MIGRATION_SECONDS says for how long it waits.';
    return new AditError('CONFLICT', `${why} ${this.advice}${then}`, { cause });
  }

  private async poll(migration: string, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(POLL_MS, undefined, { signal });
        const found = await this.dataSource.query<Blocker[]>(BLOCKING);
        if (found.length === 0) continue;
        this.logBlockers(`a lock that the migration ${migration} needs is held`, found);
        if (!this.isTimeOver()) continue;
        this.hasCancelled = true;
        await this.dataSource.query(CANCEL);
      }
    } catch (error) {
      if (!signal.aborted) log.debug({ err: error }, 'the blockers of a migration could not be read');
    }
  }

  private logBlockers(why: string, blockers: Blocker[]): void {
    this.since ??= performance.now();
    const pids = blockers.map(({ pid }) => pid);
    this.what = [why, ...(pids.length === 0 ? [] : [blockers.map(inWords).join(' and ')])].join(' by ');
    const ending = pids.map((pid) => `SELECT pg_terminate_backend(${pid});`).join(' ');
    this.advice = pids.length === 0 ? '' : `Let that end, or end it as its user or a superuser: ${ending} `;
    const isNew = this.logged.pids !== pids.join();
    if (!isNew && performance.now() - this.logged.at < LOG_INTERVAL_MS) return;
    this.logged = { pids: pids.join(), at: performance.now() };
    log.warn({ sessions: blockers, seconds: this.seconds }, `waiting: ${this.what}`);
  }
}

function inWords({ pid, user, application, state, seconds }: Blocker): string {
  const facts = [application, user && `user ${user}`, state, seconds === null ? '' : `for ${seconds} s`];
  return `session ${pid} (${facts.filter(Boolean).join(', ')})`;
}
