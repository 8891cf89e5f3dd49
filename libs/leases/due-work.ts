import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { isShared } from '@adit/database';
import { NudgedLoop } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { removeSigns } from './signs-of-life.js';

const log = createLogger('due work');
/** Period in which an installation is asked what is due, by whichever of its processes. */
const PERIOD_MS = 1_000;
/** Longest time after which a process asks itself: what came since waits for it, or for another process. */
const LONGEST_MS = 20_000;
/**
 * Period in which a process says that it asks, and time after which one that says nothing no longer counts. It says so when it
 * asks, so the time is longer than the period and a longest pause (half as long again as LONGEST_MS).
 */
const SAID = { everyMs: 20_000, seconds: 60 };
const FALLBACK_MS = 60_000;
/** Period in which a question that fails is logged as such; it is asked each second. */
const WARNED_EVERY_MS = 60_000;

interface Watched {
  /** Name of the work; processes that watch the same work share the asking. */
  name: string;
  /** SQL: true when there is something to do now. */
  due: string;
  found: () => void;
}

type Question = Watched & {
  /** Time when its failure was last logged. */
  warned: number;
};

/**
 * Asks the database what is due, by one statement for all work of this process, and nudges what has something to do. Processes
 * that watch the same work take turns by chance: each asks the more seldom the more they are, so that an idle installation is
 * asked once a second, of whatever size it is. Nudges come before that; this is for what no nudge tells of, or a lost one.
 */
export class DueWork {
  private static readonly known = new WeakMap<object, DueWork>();

  private readonly holder = randomUUID();
  private readonly watched = new Set<Question>();
  private loop: NudgedLoop | null = null;
  /** Processes that watch the same, with this one. */
  private peers = 1;
  private said = -Infinity;
  /** Names of the work that it last said it asks for. */
  private saidNames = '';

  private constructor(private readonly db: DataSource) {}

  /** That of the process which uses this database. */
  static of(db: DataSource): DueWork {
    const known = DueWork.known.get(db) ?? new DueWork(db);
    DueWork.known.set(db, known);
    return known;
  }

  /** Calls `found` whenever it sees that something is due, until the returned function is called. */
  watch(work: Watched): () => Promise<void> {
    const own = { ...work, warned: -Infinity };
    this.watched.add(own);
    if (this.loop === null) {
      this.loop = new NudgedLoop('due work', () => this.ask(), FALLBACK_MS);
      this.loop.start();
    }
    return async () => {
      this.watched.delete(own);
      if (this.watched.size > 0) return;
      const { loop } = this;
      this.loop = null;
      await loop?.stop();
      await this.leave();
    };
  }

  private async ask(): Promise<void> {
    const watched = [...this.watched];
    if (watched.length === 0) return;
    await this.countPeers(watched);
    for (const { found } of await this.dueOf(watched)) found();
    // Those that have started together do not ask together.
    const pause = Math.min(LONGEST_MS, PERIOD_MS * this.peers) * (0.5 + Math.random());
    this.loop?.nudgeIn(this.peers === 1 ? PERIOD_MS : pause);
  }

  /** What of that has something to do. When the question for all fails, each is asked by itself: the others go on. */
  private async dueOf(watched: readonly Question[]): Promise<Question[]> {
    try {
      return await this.answered(watched);
    } catch (error) {
      if (AditError.from(error).code === 'UNAVAILABLE') throw error;
    }
    const due: Question[] = [];
    for (const question of watched) {
      try {
        due.push(...(await this.answered([question])));
      } catch (error) {
        if (AditError.from(error).code === 'UNAVAILABLE') throw error;
        const isKnown = performance.now() - question.warned < WARNED_EVERY_MS;
        if (!isKnown) question.warned = performance.now();
        const message = 'it cannot be told whether there is something to do; other work goes on';
        log[isKnown ? 'debug' : 'warn']({ work: question.name, err: error }, message);
      }
    }
    return due;
  }

  /** Asks for all by one statement. */
  private async answered(watched: readonly Question[]): Promise<Question[]> {
    const [row]: [Record<string, boolean>] = await this.db.query(
      `SELECT ${watched.map(({ due }, at) => `(${due}) AS w${at}`).join(', ')}`,
      // With a list of values, even an empty one, it is prepared: planning it takes longer than to find nothing.
      [],
    );
    return watched.filter((_, at) => row[`w${at}`] === true);
  }

  /** Says that this process asks, and for what, and counts those that do. Work that came since is said with the next question. */
  private async countPeers(watched: readonly Watched[]): Promise<void> {
    if (!isShared(this.db)) return;
    const names = [...new Set(watched.map(({ name }) => name))].sort().join(' ');
    if (names === this.saidNames && performance.now() - this.said < SAID.everyMs) return;
    const [row]: [{ others: number }] = await this.db.query(
      `WITH said AS (
         INSERT INTO leases (name, holder, lease_until) VALUES ($1::text || $2::uuid, $2::uuid, now() + make_interval(secs => $3))
         ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until),
       old AS (
         DELETE FROM leases WHERE starts_with(name, 'due ') AND holder = $2::uuid AND name <> $1::text || $2::uuid)
       SELECT count(*)::int AS others FROM leases
        WHERE starts_with(name, $1::text) AND holder <> $2::uuid AND lease_until > now()`,
      [`due ${names}/`, this.holder, SAID.seconds],
    );
    this.peers = row.others + 1;
    this.said = performance.now();
    this.saidNames = names;
  }

  private async leave(): Promise<void> {
    if (this.said === -Infinity) return;
    this.said = -Infinity;
    const sql = `DELETE FROM leases WHERE starts_with(name, 'due ') AND (holder = $1 OR lease_until <= now())`;
    await removeSigns(this.db, sql, [this.holder]);
  }
}
