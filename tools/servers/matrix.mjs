// `npm run servers -- --matrix`: the conformance suites on the oldest and the newest server of each kind that can be had.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { checkServer } from './check.mjs';
import { startServers } from './index.mjs';
import { kafkaOf } from './kafka.mjs';
import { POOLERS, preparePgbouncer, startPgbouncer } from './pgbouncer.mjs';
import { newerPgbouncer } from './pgbouncer-newer.mjs';
import { postgresOf } from './postgres.mjs';
import { objectStores } from './object-stores.mjs';

const PAGE = join(repositoryRoot, 'docs/operating/servers.md');
const [BEGIN, END] = ['<!-- servers: begin -->', '<!-- servers: end -->'];

const debian = postgresOf.debian(15);
const pooled = (mode, installed) => ({ server: postgresOf.carried, name: 'postgres', mode, installed });

/** By what the row is called. `mode`, `installed`: a PgBouncer between. */
export const ROWS = {
  'Apache Kafka 3.9.1': { name: 'kafka', server: kafkaOf('3.9.1') },
  'Apache Kafka 4.4.0': { name: 'kafka', server: kafkaOf('4.4.0') },
  'PostgreSQL 15': { name: 'postgres', server: debian },
  'PostgreSQL 18': { name: 'postgres', server: postgresOf.carried },
  'PgBouncer 1.18, sessions': pooled('session', preparePgbouncer),
  'PgBouncer 1.18, transactions': pooled('transaction', preparePgbouncer),
  'PgBouncer 1.24, sessions': pooled('session', () => newerPgbouncer('1.24')),
  'PgBouncer 1.24, transactions': pooled('transaction', () => newerPgbouncer('1.24')),
  'PgBouncer 1.26, sessions': pooled('session', () => newerPgbouncer('1.26')),
  'PgBouncer 1.26, transactions': pooled('transaction', () => newerPgbouncer('1.26')),
  'MinIO 2026-02-12 (its last)': { name: 'minio', server: objectStores.minio },
  'SeaweedFS 4.53': { name: 'minio', server: objectStores.seaweedfs },
  'versitygw 1.8.0': { name: 'minio', server: objectStores.versitygw },
};

/** Runs the rows whose title has one of the words, all when none is given, and writes the table; answers the exit code. */
export async function runMatrix(words) {
  const titles = Object.keys(ROWS).filter((title) => words.length === 0 || words.some((word) => title.includes(word)));
  if (titles.length === 0) {
    console.error(`No server is called that; there are: ${Object.keys(ROWS).join(', ')}.`);
    return 2;
  }
  let failed = false;
  for (const title of titles) {
    console.error(`\n${title}`);
    const { checked, reason } = await onServer(ROWS[title]);
    if (checked === undefined) console.error(`${title} did not run: ${reason}`);
    for (const failure of checked?.failures ?? []) console.log(`FAILED ${title}: ${failure}`);
    failed ||= checked === undefined || checked.failed > 0 || checked.passed === 0;
    // At once: a run that is broken off keeps what it found. A row that did not run today is none.
    const page = readFileSync(PAGE, 'utf8');
    const rows = new Map(rowsOf(page));
    rows.delete(title);
    if (checked !== undefined)
      rows.set(title, [title, checked.suite, checked.passed, checked.failed, today()].join(' | '));
    writeFileSync(PAGE, withRows(page, inOrder(rows)));
  }
  console.log(`\n${inOrder(new Map(rowsOf(readFileSync(PAGE, 'utf8')))).join('\n')}`);
  return failed ? 1 : 0;
}

const inOrder = (rows) => Object.keys(ROWS).flatMap((title) => rows.get(title) ?? []);

async function onServer({ name, server, mode, installed }) {
  const options = { [name]: true, from: ['packages'], durable: false, env: {}, instead: { [name]: server } };
  const servers = await startServers({ ...options, log: (line) => console.error(line) });
  const ends = [() => servers.stop()];
  try {
    if (servers.missing.length > 0) return { reason: servers.missing[0].reason };
    const environment = { ...servers.environment };
    if (mode !== undefined) {
      const pooler = await startPgbouncer(environment.DATABASE_URL, POOLERS[mode], installed());
      ends.unshift(() => pooler.remove());
      environment.DATABASE_URL = pooler.url;
    }
    return { checked: await checkServer(name, environment) };
  } catch (error) {
    return { reason: error.message };
  } finally {
    for (const end of ends) await end();
  }
}

const today = () => new Date().toISOString().slice(0, 10);

/** The rows of the page's table by their title, each as it stands there between its outer bars. */
export function rowsOf(page) {
  const lines = tableIn(page)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line
      .slice(1, line.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim());
    return [cells[0], cells.join(' | ')];
  });
}

/** The page with these rows; the formatter's widths are left to the formatter. */
export function withRows(page, rows) {
  const head = ['Server', 'Suite', 'Passed', 'Failed', 'Run on'];
  const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`);
  const [before, after] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return `${page.slice(0, before)}\n\n${lines.join('\n')}\n\n${page.slice(after)}`;
}

function tableIn(page) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} lacks ${BEGIN} or ${END}.`);
  return page.slice(begin + BEGIN.length, end);
}
