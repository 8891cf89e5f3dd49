// PgBouncer in front of a PostgreSQL: one that is installed, else Debian's package and its libraries, unpacked into the cache.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { onPath } from '../setup/on-path.mjs';
import { Step } from '../setup/step.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';
import { installOnce, serversCache } from './installing.mjs';
import { answers, freePorts } from './ports.mjs';
import { Guard, ServerProcess } from './server-process.mjs';
import { givenAway, linkTree, unprivilegedUser } from './unprivileged.mjs';

const FOLDER = `pgbouncer-debian-${process.arch}`;
const HOW =
  'Install PgBouncer (Debian: apt-get install pgbouncer), or name its program in ADIT_PGBOUNCER; tests through it are skipped.';
/** Debian's package needs them, and few machines have both. */
const PACKAGES = [
  { name: 'pgbouncer', files: ['usr/sbin/pgbouncer'] },
  { name: 'libevent-2.1-7', files: ['usr/lib'] },
  { name: 'libc-ares2', files: ['usr/lib'] },
];
/** Start parameters that Adit sends, which PgBouncer refuses by default. */
const START_PARAMETERS =
  'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits';

/**
 * The ways in which tests go through it: sessions and transactions with its settings as they come, and transactions where it
 * leaves out start parameters without a word.
 */
export const POOLERS = {
  session: { pool_mode: 'session' },
  transaction: { pool_mode: 'transaction' },
  ignoring: { pool_mode: 'transaction', ignore_startup_parameters: START_PARAMETERS },
  statement: { pool_mode: 'statement' },
};

let preparing = null;

/** The installation, fetched unless it is there. Throws a SetupError with what to do; tried once per process. */
export function preparePgbouncer() {
  preparing ??= prepare();
  return preparing;
}

async function prepare() {
  const found = process.env.ADIT_PGBOUNCER ?? onPath('pgbouncer') ?? onMachine();
  if (found) return { program: found };
  const step = new Step({ live: false });
  let failed = true;
  try {
    step.begin('Fetching PgBouncer from Debian');
    const home = await installOnce(FOLDER, async (into) => {
      for (const one of PACKAGES) await unpackFromDebian(step, { ...one, into, advice: HOW });
      const run = installation(into);
      execFileSync(run.program, ['--version'], { env: { ...process.env, ...librariesIn(run) }, stdio: 'pipe' });
    });
    failed = false;
    return installation(home);
  } finally {
    step.end(failed);
  }
}

/** Where Debian's package puts it, which is on the PATH of root alone. */
function onMachine() {
  return ['/usr/sbin/pgbouncer'].find((path) => existsSync(path));
}

function installation(home) {
  const libraries = join(home, 'lib', { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch] ?? '');
  return { program: join(home, 'pgbouncer'), libraries };
}

const librariesIn = ({ libraries }) => (libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries });

/** Programs inside another user's home folder, as root's cache is, cannot be run by anyone else: linked or copied out. */
function readableFor(user, installed, folder) {
  const home = dirname(installed.program);
  if (user === null || !home.startsWith(serversCache)) return installed;
  const target = join(folder, 'programs');
  linkTree(home, target);
  return {
    program: join(target, basename(installed.program)),
    libraries: installed.libraries && join(target, relative(home, installed.libraries)),
  };
}

/**
 * A PgBouncer on a free loopback port, in front of the server of `url`, with `settings` of its file beside those that it cannot
 * do without; answers the url through it, its version, and `stop`, `kill`, `start` and `remove`.
 */
export async function startPgbouncer(url, settings, installed = preparePgbouncer()) {
  const { hostname, port: upstream, username, password } = new URL(url);
  const [port] = await freePorts(1);
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'adit-pgbouncer-'));
  chmodSync(folder, 0o711);
  const own = readableFor(user, await installed, folder);
  const users = join(folder, 'users');
  const file = join(folder, 'pgbouncer.ini');
  const quoted = [username, password].map((text) => `"${decodeURIComponent(text).replaceAll('"', '""')}"`);
  writeFileSync(users, `${quoted.join(' ')}\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const server = `host=${hostname} port=${upstream || 5432}`;
  writeFileSync(file, ['[databases]', `* = ${server}`, '[pgbouncer]', ...lines, ''].join('\n'));
  givenAway(folder, user);
  const guard = new Guard();
  guard.notify({ folder });
  const run = new ServerProcess({
    name: 'PgBouncer',
    folder,
    log: join(folder, 'server.log'),
    guard,
    command: own.program,
    args: [file],
    env: { PATH: process.env.PATH, LANG: 'C', ...librariesIn(own) },
    user,
    // At once; SIGINT would wait for who is connected.
    stopSignal: 'SIGTERM',
    ready: () => answers(port),
  });
  await run.start();
  const through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  return {
    url: through.href,
    logFile: run.logFile,
    stop: () => run.stop(),
    kill: () => run.kill(),
    start: () => run.start(),
    async remove() {
      await run.dispose();
      rmSync(folder, { recursive: true, force: true });
      guard.dismiss();
    },
  };
}
