// A real PostgreSQL whose clock is that of the simulation.
import { randomBytes } from 'node:crypto';
import { openDatabase } from '@adit/database';
import pg from 'pg';

/** Milliseconds by which its clock may lag behind: each change costs a statement. */
const EXACT_MS = 20;
const SESSIONS = 16;
const SHOWN_CHARACTERS = 120;

/** Statements find these functions before those of PostgreSQL. */
const CLOCK = `
  CREATE SCHEMA simulated;
  CREATE UNLOGGED TABLE simulated.clock (at timestamptz NOT NULL) WITH (fillfactor = 10);
  INSERT INTO simulated.clock VALUES ('2026-01-01 00:00:00Z');
  CREATE FUNCTION simulated.now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
    $$ BEGIN RETURN (SELECT at FROM simulated.clock); END $$;
  CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
    $$ BEGIN RETURN (SELECT at FROM simulated.clock); END $$;`;

/** Choosing and giving out; the transaction around the latter and its messages come on top. */
const OF_SCHEDULER = /busy AS MATERIALIZED|given AS MATERIALIZED \(\s+SELECT j\.id/;

/** Opens a database of its own on the server, which goes with \`close\`. It follows \`time\` after \`begin\`. */
export async function openSimulated(url, time) {
  const name = `simulated_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client(url);
  admin.on('error', () => undefined);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.query(`ALTER DATABASE ${name} SET search_path = public, simulated, pg_catalog`);
  // Nobody looks at it after a crash of the machine.
  await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const clock = new pg.Client(own);
  clock.on('error', () => undefined);
  await clock.connect();
  await clock.query(CLOCK);
  const database = await openDatabase({ driver: 'postgres', url: own, poolSize: SESSIONS });
  return new SimulatedDatabase(database, clock, time, async () => {
    await database.close();
    await clock.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
}

class SimulatedDatabase {
  /** Statements so far, and real milliseconds from their sending to their answers. */
  statements = 0;
  busyMs = 0;
  /** Statements of the scheduler alone. */
  scheduling = 0;
  isAway = false;
  #clockAt = 0;
  #setting = null;
  #begun = new WeakSet();
  #asked = new Map();

  constructor(database, clock, time, close) {
    this.dataSource = database.dataSource;
    this.close = close;
    this.clock = clock;
    this.time = time;
  }

  /** From now on the clock stands still during statements, and they see it. */
  async begin() {
    const pool = this.dataSource.driver.master;
    // Connecting does not stop the clock, so all sessions are opened before it starts.
    Object.assign(pool.options, { idleTimeoutMillis: 0, connectionTimeoutMillis: 0 });
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => pool.connect()));
    for (const session of sessions) {
      this.#watch(session);
      session.release();
    }
    pool.on('connect', (session) => this.#watch(session));
  }

  #watch(session) {
    const query = session.query.bind(session);
    session.query = (...args) => this.#send(session, args[0].text ?? args[0], () => query(...args));
  }

  /** A database that fails over refuses what begins, and lets transactions end. */
  #send(session, sql, ask) {
    const isBegun = this.#begun.has(session);
    if (this.isAway && !isBegun) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    if (/^\s*(START|BEGIN)\b/i.test(sql)) this.#begun.add(session);
    if (/^\s*(COMMIT|ROLLBACK)\b/i.test(sql)) this.#begun.delete(session);
    this.statements += 1;
    this.#count(sql);
    if (OF_SCHEDULER.test(sql)) this.scheduling += 1;
    return this.time.outside(async () => {
      if (this.time.now - this.#clockAt > EXACT_MS) await this.#setClock();
      const began = process.hrtime.bigint();
      try {
        return await ask();
      } finally {
        this.busyMs += Number(process.hrtime.bigint() - began) / 1e6;
      }
    });
  }

  #count(sql) {
    const beginning = sql.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS);
    this.#asked.set(beginning, (this.#asked.get(beginning) ?? 0) + 1);
  }

  /** The beginnings of the statements that were asked most often, with their numbers. */
  mostAsked(count) {
    return [...this.#asked].sort(([, a], [, b]) => b - a).slice(0, count);
  }

  /** Asks beside the simulation: it neither counts nor stops the clock. */
  async apart(sql, values) {
    return (await this.clock.query(sql, values)).rows;
  }

  #setClock() {
    return (this.#setting ??= this.#writeClock().finally(() => (this.#setting = null)));
  }

  async #writeClock() {
    const { now } = this.time;
    await this.clock.query('UPDATE simulated.clock SET at = to_timestamp($1::float8 / 1000)', [now]);
    this.#clockAt = now;
  }
}
