import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { counter, createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { enqueue, type OutboxMessage, type OutboxRelay } from './outbox.js';
import { returned } from './scheduler.js';
import { dispatchSeconds, type JobSettings } from './settings.js';

const log = createLogger('tries');
const postponed = counter('adit_tries_postponed_total', 'Tries put off because a dependency was away', ['work']);
const lost = counter('adit_leases_lost_total', 'Tries stopped because another process took over or nobody waits', [
  'work',
]);

/** When work that a dependency kept from being done is dispatched again. */
const POSTPONE_SECONDS = 5;

/** A unit of work that is tried: a row that counts its tries and says until when the running one is believed alive. */
export interface Tried {
  kind: 'source' | 'chunk' | 'analysis';
  /** What is done, as the reason of a failure says it. */
  what: string;
  table: string;
  /** Columns of its primary key. */
  key: Record<string, string | number>;
}

export function triedSource(jobId: string, index: number): Tried {
  return { kind: 'source', what: 'opening it', table: 'job_sources', key: { job_id: jobId, index } };
}

export function triedChunk(chunkId: string): Tried {
  return { kind: 'chunk', what: 'decoding', table: 'chunks', key: { id: chunkId } };
}

export function triedAnalysis(chunkId: string, digest: string): Tried {
  return { kind: 'analysis', what: 'the analysis', table: 'chunk_analyses', key: { chunk_id: chunkId, digest } };
}

export interface Try {
  db: DataSource;
  settings: Pick<JobSettings, 'leaseSeconds' | 'maxAttempts'>;
  work: Tried;
  /** Number of this try, from `claimTry`. */
  attempt: number;
  /** Ends the try for the process's sake. */
  signal: AbortSignal;
}

/** How often it was tried before; null when somebody else did the work. */
export async function triesOf(db: DataSource, { table, key }: Tried): Promise<number | null> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${index + 1}`);
  const rows: { attempts: number }[] = await db.query(
    `SELECT attempts FROM ${table} WHERE ${columns.join(' AND ')} AND state = 'requested'`,
    Object.values(key),
  );
  return rows[0]?.attempts ?? null;
}

/**
 * What comes back after a try of it, which may have killed its process, goes behind all that waits now: its neighbours are
 * delayed by one try of it at the most. `message` asks for the try after those that were `begun`.
 */
export async function goBehind(
  outbox: OutboxRelay,
  work: Tried,
  begun: number,
  { message, settings }: { message: OutboxMessage; settings: Pick<JobSettings, 'leaseSeconds'> },
): Promise<void> {
  await outbox.transaction(async (manager) => {
    const rows = await update(manager, work, 'lease_until = now() + make_interval(secs => $1)', {
      parameters: [dispatchSeconds(settings), begun],
      where: `attempts = $2 AND ${LIVE_JOB}`,
    });
    if (rows.length > 0) await enqueue(manager, [{ ...message, attempt: begun + 1 }]);
  });
}

/**
 * Counts a try before it begins, so that a crash counts too. Answers its number, 1 for the first; null when somebody else
 * did the work or nobody wants it any more.
 */
export async function claimTry(db: DataSource, work: Tried, leaseSeconds: number): Promise<number | null> {
  const rows = await update(db, work, 'attempts = attempts + 1, lease_until = now() + make_interval(secs => $1)', {
    parameters: [leaseSeconds],
    where: LIVE_JOB,
  });
  return rows[0]?.attempts ?? null;
}

/**
 * Runs a counted try and keeps its lease alive meanwhile, however long it takes. What it throws decides: a dependency
 * that is away puts the work off without blame, an orderly shutdown hands it back, what may go well next time is thrown
 * on for the bus to deliver again, and the rest goes to `giveUp`. Poison, which used up its tries, is thrown on after that as
 * what cannot be retried: the bus makes a dead letter of it.
 */
export async function runTry(
  { db, settings, work, attempt, signal }: Try,
  run: (signal: AbortSignal) => Promise<void>,
  giveUp: (problem: AditError) => Promise<void>,
): Promise<void> {
  const lease = new Lease(db, work, attempt, settings.leaseSeconds, signal);
  try {
    if (attempt > settings.maxAttempts) throw exhausted(work, settings);
    await run(lease.signal);
  } catch (error) {
    const problem = AditError.from(error);
    if (lease.lost) return;
    if (signal.aborted) {
      await handBack(db, work, attempt, 0);
      throw error;
    }
    if (problem.code === 'UNAVAILABLE') {
      postponed.inc({ work: work.kind });
      log.warn({ work: work.kind, err: problem }, 'a dependency is away; the work is put off');
      if (await reached(handBack(db, work, attempt, POSTPONE_SECONDS))) return;
      // It is the database: the bus keeps the message meanwhile and delivers it again.
      while (!(await reached(handBack(db, work, attempt, settings.leaseSeconds))) && !signal.aborted)
        await sleep(1_000);
      throw error;
    }
    if (problem.retryable && attempt < settings.maxAttempts) throw error;
    await giveUp(problem);
    // Nothing is left to try, and an operator may want to know why: the message goes to the dead-letter topic.
    if (problem.retryable || attempt > settings.maxAttempts) throw exhausted(work, settings, problem);
  } finally {
    lease.end();
  }
}

function exhausted({ what }: Tried, { maxAttempts }: Try['settings'], cause?: AditError): AditError {
  if (cause?.code === 'MEDIA_INVALID') return cause;
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new AditError('MEDIA_INVALID', `${what} was given up after ${maxAttempts} tries${why}`, { cause });
}

/** Whether the database was there to do it; throws whatever else it failed of. */
async function reached(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (AditError.from(error).code !== 'UNAVAILABLE') throw error;
    return false;
  }
}

/** Takes back a try that says nothing about the work; the reconciler dispatches it again when `seconds` have passed. */
async function handBack(db: DataSource, work: Tried, attempt: number, seconds: number): Promise<void> {
  await update(db, work, 'attempts = attempts - 1, lease_until = now() + make_interval(secs => $1)', {
    parameters: [seconds, attempt],
    where: 'attempts = $2',
  });
}

/**
 * Says again and again that a try is alive. The number of the try is its fencing token: when another process has begun
 * the next one, or the job was stopped or deleted, this one's signal aborts.
 */
class Lease {
  private readonly abort = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly follow = () => this.abort.abort(this.outer.reason);
  lost = false;

  constructor(
    private readonly db: DataSource,
    private readonly work: Tried,
    private readonly attempt: number,
    private readonly seconds: number,
    private readonly outer: AbortSignal,
  ) {
    if (outer.aborted) this.follow();
    outer.addEventListener('abort', this.follow);
    this.timer = setInterval(() => void this.renew(), (seconds * 1000) / 3);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  end(): void {
    clearInterval(this.timer);
    this.outer.removeEventListener('abort', this.follow);
  }

  private async renew(): Promise<void> {
    try {
      const rows = await update(this.db, this.work, 'lease_until = now() + make_interval(secs => $1)', {
        parameters: [this.seconds, this.attempt],
        where: `attempts = $2 AND ${LIVE_JOB}`,
      });
      if (rows.length > 0 || this.signal.aborted) return;
      this.lost = true;
      lost.inc({ work: this.work.kind });
      this.abort.abort(new AditError('CONFLICT', 'Nobody waits for this try any more.'));
    } catch (error) {
      // While the database is away nobody else can take it over either.
      log.debug({ err: error }, 'a lease could not be renewed');
    }
  }
}

const LIVE_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_id
  AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL)`;

/** Changes the row while the work is still asked for. */
async function update(
  db: Pick<DataSource, 'query'>,
  { table, key }: Tried,
  set: string,
  { parameters, where }: { parameters: unknown[]; where: string },
): Promise<{ attempts: number }[]> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${parameters.length + index + 1}`);
  return returned(
    await db.query(
      `UPDATE ${table} SET ${set} WHERE ${columns.join(' AND ')} AND state = 'requested' AND ${where} RETURNING attempts`,
      [...parameters, ...Object.values(key)],
    ),
  );
}
