// Retention over a million or ten million rows, while the process that sweeps is killed.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServers } from '@adit/servers';
import pg from 'pg';
import { Child } from '../child.mjs';
import { sum } from '../measure.mjs';

/** Tables that are filled, each with its share of the rows. */
const TABLES = 19;
/** Of each table; every twentieth of them is kept by a legal hold. */
const [DUE, HELD_EVERY] = [2_000, 20];
const KILLS = 20;
/** Milliseconds that a process sweeps before it is killed, at the least and at the most. */
const KILLED_AFTER = [200, 2_500];
const LIMIT_MS = 250;
/** Statements that took longer are looked at. */
const LOGGED_MS = 50;
/** Passes until nothing is left; each rule takes half a minute of one at the most. */
const MAX_PASSES = 40;

const file = fileURLToPath(new URL('../retention-process.mjs', import.meta.url));

export function retention(bench) {
  return measure(bench, bench.quick ? 20_000 : 1_000_000);
}

export function retention10m(bench) {
  return measure(bench, bench.quick ? 20_000 : 10_000_000);
}

async function measure(bench, total) {
  const rows = Math.floor(total / TABLES);
  const size = { rows, due: Math.min(DUE, Math.floor(rows / 10)), heldEvery: HELD_EVERY };
  const kills = bench.quick ? 3 : KILLS;
  const servers = await startServers({ postgres: true });
  const { DATABASE_URL } = servers.environment;
  const db = new pg.Client({ connectionString: DATABASE_URL, application_name: 'adit-bench' });
  const start = () => new Child(file, { env: { ...process.env, DATABASE_DRIVER: 'postgres', DATABASE_URL } });
  let child = start();
  try {
    await db.connect();
    bench.log(`Filling ${TABLES} tables with ${rows.toLocaleString('en')} rows each …`);
    await child.ask('fill', size);
    const log = await SlowStatements.open(db, servers.postgres.logFile);
    const began = performance.now();
    for (let killed = 0; killed < kills; killed += 1) {
      await child.ask('ready');
      const swept = child.ask('sweep').catch(() => undefined);
      await Promise.race([swept, sleep(KILLED_AFTER[0] + Math.random() * (KILLED_AFTER[1] - KILLED_AFTER[0]))]);
      process.kill(child.pid, 'SIGKILL');
      child = start();
    }
    bench.log(`Killed ${kills} times; sweeping what is left …`);
    let left = await child.ask('left', size);
    for (let pass = 0; pass < MAX_PASSES && sum(left.map(({ due }) => due)) > 0; pass += 1) {
      await child.ask('sweep');
      left = await child.ask('left', size);
    }
    const seconds = (performance.now() - began) / 1000;
    return result({ total, kills, left, slow: await log.read(), seconds, size });
  } finally {
    await child.close();
    await db.end();
    await servers.stop();
  }
}

function result({ total, kills, left, slow, seconds, size }) {
  const longest = slow[0]?.milliseconds ?? LOGGED_MS;
  const [due, heldLost, lost] = ['due', 'heldLost', 'lost'].map((name) => sum(left.map((each) => each[name])));
  const wrong = left.filter((each) => each.due > 0 || each.heldLost > 0 || each.lost > 0);
  return [
    {
      name: `retention over ${total.toLocaleString('en')} rows, killed ${kills} times`,
      measured: `longest statement ${longest.toFixed(0)} ms; ${due} of what is over left, ${heldLost + lost} lost`,
      goal: `≤ ${LIMIT_MS} ms; 0 left, 0 lost`,
      ok: longest <= LIMIT_MS && wrong.length === 0,
      note: [
        `${TABLES} tables, ${size.due} rows of each over, a twentieth of them under a legal hold`,
        `${seconds.toFixed(0)} s`,
        ...wrong.map(({ table }) => `not as it has to be: ${table}`),
        ...slow.slice(0, 3).map(({ milliseconds, text }) => `${milliseconds.toFixed(0)} ms ${text}`),
        `load ${loadavg()[0].toFixed(0)}`,
      ].join('; '),
    },
  ];
}

/** Statements of the sweeper that PostgreSQL itself took long for: also those of a process that was killed meanwhile. */
class SlowStatements {
  static async open(db, file) {
    if (file === null) throw new Error('PostgreSQL was given by the environment: its log cannot be read.');
    const settings = { log_min_duration_statement: LOGGED_MS, log_line_prefix: "'|%a|'", log_parameter_max_length: 0 };
    for (const [name, value] of Object.entries(settings)) await db.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await db.query('SELECT pg_reload_conf()');
    return Object.assign(new SlowStatements(), { file, from: (await stat(file)).size });
  }

  /** The longest of each kind, the longest first. */
  async read() {
    const longest = new Map();
    const lines = createInterface({ input: createReadStream(this.file, { start: this.from }) });
    for await (const line of lines) {
      const [, duration, text] = /^\|adit-retention\|LOG: {2}duration: ([\d.]+) ms {2}[^:]*: (.*)$/.exec(line) ?? [];
      if (text === undefined) continue;
      const beginning = text.trim().slice(0, 80);
      longest.set(beginning, Math.max(longest.get(beginning) ?? 0, Number(duration)));
    }
    return [...longest]
      .map(([text, milliseconds]) => ({ text, milliseconds }))
      .sort((a, b) => b.milliseconds - a.milliseconds);
  }
}
