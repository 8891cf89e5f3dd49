import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { enqueue, type OutboxMessage, type OutboxRelay } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { isLive } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';
import { Lease } from './lease.js';
import {
  claimChosen,
  claimRow,
  isHeld,
  releaseRow,
  updateHeld,
  updateRow,
  type Claim,
  type Held,
} from './leased-rows.js';
import { ANALYSES, CHUNKS, SOURCES, THUMBNAILS } from './leased-tables.js';
import { triesPostponed } from './metrics.js';
import { afterFailure, dispatchSeconds, type LeaseSettings } from './settings.js';

const log = createLogger('attempts');

/** Delay after which work that a dependency prevented is dispatched again. */
const POSTPONE_SECONDS = 5;

/** A unit of work that a message requests. */
export interface LeasedWork extends Pick<Held, 'rows' | 'key'> {
  kind: 'source' | 'chunk' | 'analysis' | 'thumbnail';
  /** Name of the work in the reason of a failure. */
  what: string;
}

export function leasedSource(jobId: string, index: number): LeasedWork {
  return { kind: 'source', what: 'opening it', rows: SOURCES, key: { job_id: jobId, index } };
}

export function leasedChunk(chunkId: string): LeasedWork {
  return { kind: 'chunk', what: 'decoding', rows: CHUNKS, key: { id: chunkId } };
}

export function leasedAnalysis(chunkId: string, digest: string): LeasedWork {
  return { kind: 'analysis', what: 'the analysis', rows: ANALYSES, key: { chunk_id: chunkId, digest } };
}

export function leasedThumbnail(entryId: number): LeasedWork {
  return { kind: 'thumbnail', what: 'making it', rows: THUMBNAILS, key: { id: entryId } };
}

/** An attempt that has begun. */
interface Attempt extends Claim {
  db: DataSource;
  settings: LeaseSettings;
  work: LeasedWork;
  /** Aborts the attempt when the process shuts down. */
  signal: AbortSignal;
  /** Progress of an analysis, 0..1, which is written with each renewal of its lease. */
  progress?: () => number;
}

/** SQL: resets the attempts of a row. A process that still runs one has lost it, whichever build begins the next. */
export function restartAttempts(table: string): string {
  return `attempts = 0, fencing_token = ${table}.fencing_token + 1`;
}

/** Number of former attempts; null when another process did the work, or is doing it: its lease runs out if it dies. */
export async function attemptsOf(db: DataSource, { rows: table, key }: LeasedWork): Promise<number | null> {
  const columns = Object.keys(key).map((column, index) => `${column} = $${index + 1}`);
  const rows: { attempts: number }[] = await db.query(
    `SELECT ${table.attempts} AS attempts FROM ${table.name} WHERE ${columns.join(' AND ')} AND ${table.open} AND ${table.free}`,
    Object.values(key),
  );
  return rows[0]?.attempts ?? null;
}

/**
 * Requeues work after an attempt, which may have crashed its process, behind all that waits now: other work is
 * delayed by one attempt of it at most. `message` requests the attempt after those that were `begun`. A message that
 * comes while an attempt is alive is dropped: when that dies, its lease runs out.
 */
export async function requeue(
  outbox: OutboxRelay,
  work: LeasedWork,
  begun: number,
  { message, settings }: { message: OutboxMessage; settings: Pick<LeaseSettings, 'leaseSeconds'> },
): Promise<void> {
  await outbox.transaction(async (manager) => {
    const { rows, key } = work;
    const waits = await updateRow(manager, rows, key, {
      set: `${rows.leaseUntil} = now() + make_interval(secs => $1)`,
      values: [dispatchSeconds(settings), begun],
      where: `${rows.attempts} = $2 AND ${rows.live} AND ${rows.free}`,
    });
    if (waits !== null) await enqueue(manager, [{ ...message, attempt: begun + 1 }]);
  });
}

/**
 * Counts an attempt before it begins, so that a crash counts too. Null when another process did the work or is doing
 * it, or nobody wants it any more.
 */
export async function claimAttempt(db: DataSource, work: LeasedWork, leaseSeconds: number): Promise<Claim | null> {
  return claimRow(db, work.rows, work.key, leaseSeconds);
}

/** An analysis that waited for its first attempt, claimed by this process. */
export interface ClaimedAnalysis extends Claim {
  chunkId: string;
  digest: string;
}

/**
 * Claims the analysis of that name that has waited the longest for its first attempt, whoever has its message; null when none
 * waits. Those that were begun before, and the `foreign` ones, whose digests are those of another build, are for who gets their
 * messages.
 */
export async function claimWaitingAnalysis(
  db: DataSource,
  { analysis, foreign }: { analysis: string; foreign: readonly string[] },
  leaseSeconds: number,
): Promise<ClaimedAnalysis | null> {
  const claimed = await claimChosen<{ chunk_id: string; digest: string }>(db, ANALYSES, leaseSeconds, {
    key: ['chunk_id', 'digest'],
    choice: WAITING_ANALYSIS,
    values: [analysis, foreign],
  });
  if (claimed === null) return null;
  const { chunk_id: chunkId, ...others } = claimed;
  return { chunkId, ...others };
}

/** Reads the index `waiting_analyses`. */
const WAITING_ANALYSIS = `
  SELECT a.chunk_id, a.digest FROM chunk_analyses a
    JOIN job_analyses r ON r.job_id = a.job_id AND r.digest = a.digest AND r.analysis = $2 AND r.digest <> ALL($3::text[])
    JOIN jobs j ON j.id = a.job_id AND ${isLive('j')}
   WHERE a.state = 'requested' AND a.attempts = 0 AND a.running_until IS NULL AND a.fencing_token = 0
   ORDER BY a.lease_until LIMIT 1 FOR UPDATE OF a SKIP LOCKED`;

/**
 * Runs a counted attempt and renews its lease meanwhile, however long it takes. Its error decides: an unavailable
 * dependency defers the work without counting a failure, an orderly shutdown releases it, a transient error is
 * rethrown for the bus to redeliver, and the rest goes to `giveUp`. The transaction of `giveUp` calls `isOurs` before
 * it writes: another process may have begun the next attempt. Poison, which used up its attempts, is rethrown after
 * that as an error that cannot be retried: the bus makes a dead letter of it.
 */
export async function runAttempt(
  tried: Attempt,
  run: (signal: AbortSignal) => Promise<void>,
  giveUp: (problem: AditError, isOurs: (manager: EntityManager) => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { db, settings, work, attempt, token, signal, progress } = tried;
  const held: Held = { rows: work.rows, key: work.key, attempt, token };
  const lease = new Lease(db, held, { seconds: settings.leaseSeconds, kind: work.kind, signal, progress });
  try {
    if (attempt > settings.maxAttempts) throw exhausted(work, settings);
    await run(lease.signal);
  } catch (error) {
    const problem = AditError.from(error);
    if (lease.lost) return;
    const next = afterFailure(problem, { attempt, maxAttempts: settings.maxAttempts, stopping: signal.aborted });
    if (next === 'released') {
      await releaseRow(db, held, 0, { blamed: false });
      throw error;
    }
    if (next === 'deferred') {
      triesPostponed.inc({ work: work.kind });
      log.warn({ work: work.kind, err: problem }, 'a dependency is unavailable; the work is deferred');
      const defer = (seconds: number) => reached(releaseRow(db, held, seconds, { blamed: false }));
      if (await defer(POSTPONE_SECONDS)) return;
      // The database itself is unavailable: the bus keeps the message meanwhile and redelivers it.
      while (!(await defer(settings.leaseSeconds)) && !signal.aborted) await sleep(1_000);
      throw error;
    }
    if (next === 'again') {
      await reached(endAttempt(db, held));
      throw error;
    }
    let ours = true;
    await giveUp(problem, async (manager) => (ours = await isHeld(manager, held)));
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- `giveUp` asked
    if (!ours) return;
    // No attempt is left, and an operator may want to know why: the message goes to the dead-letter topic.
    if (problem.retryable || attempt > settings.maxAttempts) throw exhausted(work, settings, problem);
  } finally {
    lease.end();
  }
}

function exhausted({ what }: LeasedWork, { maxAttempts }: Attempt['settings'], cause?: AditError): AditError {
  if (cause?.code === 'MEDIA_INVALID') return cause;
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new AditError('MEDIA_INVALID', `${what} was given up after ${maxAttempts} attempts${why}`, { cause });
}

/** Returns false when the database was unavailable; throws other errors. */
async function reached(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (AditError.from(error).code !== 'UNAVAILABLE') throw error;
    return false;
  }
}

/** Ends a failed attempt: the redelivered message may begin the next one. */
async function endAttempt(db: DataSource, held: Held): Promise<void> {
  const { runningUntil } = held.rows;
  if (runningUntil !== null) await updateHeld(db, held, `${runningUntil} = NULL`);
}
