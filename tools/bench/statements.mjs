// Statements of a database as PostgreSQL itself logs them, for any build.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { seconds } from './measure.mjs';

const SETTINGS = {
  log_min_duration_statement: '0',
  log_parameter_max_length: '0',
  log_line_prefix: "'%m|%p|%a|'",
  log_timezone: "'UTC'",
};
const ENTRY =
  /^(\d{4}-\d\d-\d\d) ([\d:.]+) UTC\|(\d+)\|adit-([a-z-]+)\|LOG: {2}duration: ([\d.]+) ms {2}(\w+)[^:]*: (.*)$/;
const PREFIX = /^\d{4}-\d\d-\d\d [\d:.]+ UTC\|/;
/** The statement by which a transaction locks a job. */
const LOCK = /\bFROM "?jobs"?\b[^]*\bFOR (NO KEY )?UPDATE\b/;
const END = /^(COMMIT|ROLLBACK)\b/;

export class StatementLog {
  #file;
  #from = 0;

  /** Reads the log of a PostgreSQL that the bench has started. */
  static async open({ db, postgresLog }) {
    if (postgresLog === null) throw new Error('PostgreSQL was given by the environment: its log cannot be read.');
    const log = new StatementLog();
    log.#file = postgresLog;
    for (const [name, value] of Object.entries(SETTINGS)) await db.query(`ALTER SYSTEM SET ${name} = ${value}`);
    await db.query('SELECT pg_reload_conf()');
    return log;
  }

  /** Starts reading from here. */
  async begin() {
    this.#from = (await stat(this.#file)).size;
  }

  /**
   * Since `begin`: by process `statements` and `seconds`, in which PostgreSQL parsed, ran or waited; and `locks`, the
   * transactions that held a job's row, in the order of their ends: `service`, `held` and `waited` in milliseconds, `text`.
   */
  async read() {
    const services = {};
    const locks = [];
    const open = new Map();
    const take = ({ at, pid, service, duration, kind, text }) => {
      const own = (services[service] ??= { statements: 0, seconds: 0 });
      own.seconds += seconds(duration);
      if (kind !== 'execute' && kind !== 'statement') return;
      own.statements += 1;
      const held = open.get(pid);
      if (held !== undefined) {
        if (END.test(text)) {
          open.delete(pid);
          locks.push({ service, held: at - held.since, waited: held.waited, text: held.text });
        } else held.text += `${text};\n`;
      } else if (LOCK.test(text)) open.set(pid, { since: at, waited: duration, text: '' });
    };
    let entry = null;
    const lines = createInterface({ input: createReadStream(this.#file, { start: this.#from }) });
    for await (const line of lines) {
      if (!PREFIX.test(line)) {
        if (entry !== null) entry.text += `\n${line}`;
        continue;
      }
      if (entry !== null) take(entry);
      const [, day, time, pid, service, duration, kind, text] = ENTRY.exec(line) ?? [];
      entry = null;
      if (kind !== undefined && service !== 'bench') {
        entry = { at: Date.parse(`${day}T${time}Z`), pid, service, duration: Number(duration), kind, text };
      }
    }
    if (entry !== null) take(entry);
    return { services, locks };
  }
}

/** Sums over processes. */
export function inAll(services) {
  const all = { statements: 0, seconds: 0 };
  for (const { statements, seconds } of Object.values(services)) {
    all.statements += statements;
    all.seconds += seconds;
  }
  return all;
}

/** Text of a note: statements and milliseconds of each process per unit. */
export function byService(services, units) {
  return Object.entries(services)
    .sort(([, a], [, b]) => b.seconds - a.seconds)
    .map(
      ([name, own]) =>
        `${name} ${(own.statements / units).toFixed(1)} and ${((1000 * own.seconds) / units).toFixed(1)} ms`,
    )
    .join(', ');
}
