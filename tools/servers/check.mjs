// `npm run servers -- --check`: the conformance suites on servers that the usual settings name.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { binOf, runProgram } from '../setup/program.mjs';

/** By the name of a server's kind: its suite, and what it is called by. */
const SUITES = {
  kafka: { title: 'bus', setting: 'KAFKA_BROKERS', file: 'libs/bus/kafka.check.ts' },
  postgres: { title: 'database', setting: 'DATABASE_URL', file: 'libs/database/postgres/postgres.check.ts' },
  minio: { title: 'objects', setting: 'S3_ENDPOINT', file: 'libs/objects/minio/minio.check.ts' },
};
const NODE_OPTIONS = ['--no-warnings', '--max-semi-space-size=32'];

/**
 * @typedef {object} Checked
 * @property {string} suite
 * @property {string} server Its address, never a password.
 * @property {number} passed
 * @property {number} failed
 * @property {number} seconds
 * @property {string[]} failures Titles of the tests that failed.
 */

/** Runs the suite of that kind on the server that `environment` names. @returns {Promise<Checked>} */
export async function checkServer(name, environment) {
  const { title, setting, file } = SUITES[name];
  const scratch = mkdtempSync(join(tmpdir(), 'adit-check-'));
  const summary = join(scratch, 'summary.json');
  const began = performance.now();
  try {
    const config = join(repositoryRoot, 'tools/testing/check.config.mjs');
    await runProgram(
      [...NODE_OPTIONS, binOf('jest'), '--config', config, file],
      { ...process.env, ...environment, ADIT_TEST_SERVERS: 'off', ADIT_TEST_SUMMARY: summary },
      // The table is what is printed; the suites' own words go beside it.
      { cwd: repositoryRoot, stdio: ['ignore', process.stderr, 'inherit'] },
    );
    const { passed, failed, suites } = read(summary);
    const failures = suites.flatMap(({ tests }) =>
      tests.filter(({ status }) => status === 'failed').map((test) => test.title),
    );
    const seconds = Math.round((performance.now() - began) / 1000);
    return { suite: title, server: addressOf(environment[setting]), passed, failed, seconds, failures };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Checks every server that the environment names; answers the exit code. */
export async function checkGiven(environment) {
  const named = Object.keys(SUITES).filter((name) => environment[SUITES[name].setting]);
  if (named.length === 0) {
    const settings = Object.values(SUITES).map(({ setting }) => setting);
    console.error(
      `Name at least one server by ${settings.join(', ')}, and what belongs to it: docs/reference/configuration.md.`,
    );
    return 2;
  }
  const checked = [];
  for (const name of named) checked.push(await checkServer(name, environment));
  console.log(`\n${tableOf(checked)}`);
  for (const { suite, failures } of checked) for (const failure of failures) console.log(`FAILED ${suite}: ${failure}`);
  return checked.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1;
}

export function tableOf(checked) {
  const rows = [
    ['Suite', 'Server', 'Passed', 'Failed', 'Seconds'],
    ...checked.map(({ suite, server, passed, failed, seconds }) =>
      [suite, server, passed, failed, seconds].map(String),
    ),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  return rows.map(line).join('\n');
}

/** Host and port of what a setting names. */
export function addressOf(setting) {
  return URL.canParse(setting) && new URL(setting).host !== '' ? new URL(setting).host : setting;
}

/** A suite that could not even be loaded counts as one that failed. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, suites: [] };
  }
}
