import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { counter, createLogger } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { enqueue, type OutboxMessage, type OutboxRelay } from '@adit/outbox';
import { isLive, returned } from '@adit/database';
import { dispatchSeconds, type LeaseSettings } from './settings.js';

const log = createLogger('tries');
const postponed = counter('adit_tries_postponed_total', 'Tries put off because a dependency was away', ['work']);
const lost = counter('adit_leases_lost_total', 'Tries stopped because another process took over or nobody waits', [
  'work',
]);

/** How often the lease of an analysis that moves is renewed, for its progress to be seen: a short one writes nothing more. */
const PROGRESS_MILLISECONDS = 1_000;
/** When work that a dependency kept from being done is dispatched again. */
const POSTPONE_SECONDS = 5;

/** A unit of work that is tried: a row that counts its tries and says until when the running one is believed alive. */
export interface LeasedWork {
  kind: 'source' | 'chunk' | 'analysis';
  /** What is done, as the reason of a failure says it. */
  what: string;
  table: string;
  /** Columns of its primary key. */
  key: Record<string, string | number>;
}

export function leasedSource(jobId: string, index: number): LeasedWork {
  return { kind: 'source', what: 'opening it', table: 'job_sources', key: { job_id: jobId, index } };
}

export function leasedChunk(chunkId: string): LeasedWork {
  return { kind: 'chunk', what: 'decoding', table: 'chunks', key: { id: chunkId } };
}

export function leasedAnalysis(chunkId: string, digest: string): LeasedWork {
  return { kind: 'analysis', what: 'the analysis', table: 'chunk_analyses', key: { chunk_id: chunkId, digest } };
}

/** A try that has begun. */
interface Claim {
  /** How many tries it is to blame for, this one counted: 1 for the first. What was nobody's fault is taken off again. */
  attempt: number;
  /** No other try of the work ever has the same. */
  token: number;
}

interface Attempt extends Claim {
  db: DataSource;
  settings: LeaseSettings;
  work: LeasedWork;
  /** Ends the try for the process's sake. */
  signal: AbortSignal;
  /** Of an analysis: the part of it that is done, 0..1, which is written with each renewal of its lease. */
  progress?: () => number;
}

/** SQL: the tries of a row are forgiven. Whoever still runs one has lost it, whichever build begins the next. */
export function restartAttempts(table: string): string {
  return `attempts = 0, fencing_token = ${table}.fencing_token + 1`;
}

/** How often it was tried before; null when somebody else did the work. */
export async function attemptsOf(db: DataSource, { table, key }: LeasedWork): Promise<number | null> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${index + 1}`);
  const rows: { attempts: number }[] = await db.query(
    `SELECT attempts FROM ${table} WHERE ${columns.join(' AND ')} AND state = 'requested'`,
    Object.values(key),
  );
  return rows[0]?.attempts ?? null;
}

/**
 * What comes back after a try of it, which may have killed its process, goes behind all that waits now: its neighbours are
 * delayed by one try of it at the most. `message` asks for the try after those that were `begun`. What comes while a try is
 * alive is dropped: when that dies, its lease runs out.
 */
export async function requeue(
  outbox: OutboxRelay,
  work: LeasedWork,
  begun: number,
  { message, settings }: { message: OutboxMessage; settings: Pick<LeaseSettings, 'leaseSeconds'> },
): Promise<void> {
  await outbox.transaction(async (manager) => {
    const rows = await update(manager, work, 'lease_until = now() + make_interval(secs => $1)', {
      parameters: [dispatchSeconds(settings), begun],
      where: `attempts = $2 AND ${LIVE_JOB} AND ${NOBODY_AT_IT}`,
    });
    if (rows.length > 0) await enqueue(manager, [{ ...message, attempt: begun + 1 }]);
  });
}

/**
 * Counts a try before it begins, so that a crash counts too. Null when somebody else did the work or is at it, or nobody
 * wants it any more.
 */
export async function claimAttempt(db: DataSource, work: LeasedWork, leaseSeconds: number): Promise<Claim | null> {
  const anew = work.kind === 'analysis' ? ', progress = 0' : '';
  const rows = await update(db, work, `attempts = attempts + 1, fencing_token = fencing_token + 1, ${ALIVE}${anew}`, {
    parameters: [leaseSeconds],
    where: `${LIVE_JOB} AND ${NOBODY_AT_IT}`,
  });
  return rows[0] === undefined ? null : { attempt: rows[0].attempts, token: rows[0].fencing_token };
}

/**
 * Runs a counted try and keeps its lease alive meanwhile, however long it takes. What it throws decides: a dependency
 * that is away puts the work off without blame, an orderly shutdown hands it back, what may go well next time is thrown
 * on for the bus to deliver again, and the rest goes to `giveUp`, whose transaction asks `isOurs` before it writes: another
 * process may have begun the next try. Poison, which used up its tries, is thrown on after that as
 * what cannot be retried: the bus makes a dead letter of it.
 */
export async function runAttempt(
  tried: Attempt,
  run: (signal: AbortSignal) => Promise<void>,
  giveUp: (problem: AditError, isOurs: (manager: EntityManager) => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { settings, work, attempt, signal } = tried;
  const lease = new Lease(tried);
  try {
    if (attempt > settings.maxAttempts) throw exhausted(work, settings);
    await run(lease.signal);
  } catch (error) {
    const problem = AditError.from(error);
    if (lease.lost) return;
    if (signal.aborted) {
      await release(tried, 0);
      throw error;
    }
    if (problem.code === 'UNAVAILABLE') {
      postponed.inc({ work: work.kind });
      log.warn({ work: work.kind, err: problem }, 'a dependency is away; the work is put off');
      if (await reached(release(tried, POSTPONE_SECONDS))) return;
      // It is the database: the bus keeps the message meanwhile and delivers it again.
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changes meanwhile
      while (!(await reached(release(tried, settings.leaseSeconds))) && !signal.aborted) await sleep(1_000);
      throw error;
    }
    if (problem.retryable && attempt < settings.maxAttempts) {
      await reached(endAttempt(tried));
      throw error;
    }
    let ours = true;
    await giveUp(problem, async (manager) => (ours = await isHeld(manager, tried)));
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- `giveUp` asked
    if (!ours) return;
    // Nothing is left to try, and an operator may want to know why: the message goes to the dead-letter topic.
    if (problem.retryable || attempt > settings.maxAttempts) throw exhausted(work, settings, problem);
  } finally {
    lease.end();
  }
}

function exhausted({ what }: LeasedWork, { maxAttempts }: Attempt['settings'], cause?: AditError): AditError {
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

/** Ends a try that failed: the message that comes again may begin the next one. */
async function endAttempt({ db, work, attempt, token }: Attempt): Promise<void> {
  await update(db, work, 'running_until = NULL', { parameters: [attempt, token], where: heldBy(1) });
}

/** Whether no other try has begun; none begins before the transaction ends. */
async function isHeld(manager: EntityManager, { work: { table, key }, attempt, token }: Attempt): Promise<boolean> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${index + 3}`);
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM ${table} WHERE ${heldBy(1)} AND ${columns.join(' AND ')} AND state = 'requested' FOR UPDATE`,
    [attempt, token, ...Object.values(key)],
  );
  return rows.length > 0;
}

/** Takes back a try that says nothing about the work; the reconciler dispatches it again when `seconds` have passed. */
async function release({ db, work, attempt, token }: Attempt, seconds: number): Promise<void> {
  const set = 'attempts = attempts - 1, running_until = NULL, lease_until = now() + make_interval(secs => $1)';
  await update(db, work, set, {
    parameters: [seconds, attempt, token],
    where: heldBy(2),
  });
}

/** Notes that nobody who was given the analysis of a chunk could do it as it is asked for; seconds since that was first so. */
export async function secondsPutOff(db: DataSource, chunkId: string, digest: string): Promise<number> {
  const rows = returned<{ seconds: number }>(
    await db.query(
      `UPDATE chunk_analyses SET put_off_since = coalesce(put_off_since, now()) WHERE chunk_id = $1 AND digest = $2
       RETURNING extract(epoch FROM now() - put_off_since)::float8 AS seconds`,
      [chunkId, digest],
    ),
  );
  return rows[0]?.seconds ?? 0;
}

/**
 * Says again and again that a try is alive. When another process has begun the next one, or the job was stopped or deleted,
 * this one's signal aborts.
 */
class Lease {
  private readonly abort = new AbortController();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly follow = () => this.abort.abort(this.tried.signal.reason);
  /** As last written. */
  private progress = 0;
  private renewing = false;
  lost = false;

  constructor(private readonly tried: Attempt) {
    const { settings, signal, progress } = tried;
    if (signal.aborted) this.follow();
    signal.addEventListener('abort', this.follow);
    this.timers.push(setInterval(() => void this.renew(), (settings.leaseSeconds * 1000) / 3));
    if (progress === undefined) return;
    this.timers.push(setInterval(() => this.tell(progress), PROGRESS_MILLISECONDS));
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  end(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.tried.signal.removeEventListener('abort', this.follow);
  }

  private tell(progress: () => number): void {
    // A slow database is not asked again before it has answered.
    if (!this.renewing && progress() > this.progress) void this.renew();
  }

  private async renew(): Promise<void> {
    this.renewing = true;
    const { db, work, attempt, token, settings, progress } = this.tried;
    const parameters = [settings.leaseSeconds, attempt, token];
    if (progress !== undefined) parameters.push((this.progress = progress()));
    try {
      const rows = await update(
        db,
        work,
        progress === undefined ? ALIVE : `${ALIVE}, progress = greatest(progress, $4)`,
        {
          parameters,
          where: `${heldBy(2)} AND ${LIVE_JOB}`,
        },
      );
      if (rows.length > 0 || this.signal.aborted) return;
      this.lost = true;
      lost.inc({ work: work.kind });
      this.abort.abort(new AditError('CONFLICT', 'Nobody waits for this try any more.'));
    } catch (error) {
      // While the database is away nobody else can take it over either.
      log.debug({ err: error }, 'a lease could not be renewed');
    } finally {
      this.renewing = false;
    }
  }
}

const ALIVE = 'lease_until = now() + make_interval(secs => $1), running_until = now() + make_interval(secs => $1)';
/** A running try sets both to the same time; another one of the lease is that of a dispatch since, by whatever build. */
const NOBODY_AT_IT = '(running_until IS NULL OR running_until <= now() OR running_until IS DISTINCT FROM lease_until)';
const LIVE_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE j.id = job_id AND ${isLive('j')})`;

/** SQL: no other try has begun since. `first` is the parameter of its attempt, the next one that of its token. */
function heldBy(first: number): string {
  // An older build begins a try without a token of its own, but counts it.
  return `attempts = $${first} AND fencing_token = $${first + 1}`;
}

/** Changes the row while the work is still asked for. */
async function update(
  db: Pick<DataSource, 'query'>,
  { table, key }: LeasedWork,
  set: string,
  { parameters, where }: { parameters: unknown[]; where: string },
): Promise<{ attempts: number; fencing_token: number }[]> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${parameters.length + index + 1}`);
  return returned(
    await db.query(
      `UPDATE ${table} SET ${set} WHERE ${columns.join(' AND ')} AND state = 'requested' AND ${where} RETURNING attempts, fencing_token`,
      [...parameters, ...Object.values(key)],
    ),
  );
}
