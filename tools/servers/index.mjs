// Real Kafka, PostgreSQL and MinIO for tests and development, from packages or as containers, on free loopback ports.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError, Step } from '../setup/step.mjs';
import { ensureImage } from './docker-engine.mjs';
import { kafka } from './kafka.mjs';
import { minio } from './minio.mjs';
import { freePorts } from './ports.mjs';
import { postgres } from './postgres.mjs';
import { ServerContainer } from './server-container.mjs';
import { Guard, ServerProcess } from './server-process.mjs';
import { firstToWork, sourcesOf } from './sources.mjs';

export const kinds = { kafka, postgres, minio };
/** Starts are repeated: another process may take the port before the server listens on it. */
const START_TRIES = 3;

/**
 * @typedef {object} Control
 * @property {string} name
 * @property {boolean} given True when the environment names it: it is not stopped or started here.
 * @property {string | null} logFile File of everything that the server writes.
 * @property {() => number | null} pid
 * @property {() => Promise<void>} stop Ends the server; its data and port stay.
 * @property {() => Promise<void>} kill SIGKILL; its data and port stay.
 * @property {() => Promise<void>} start Starts it again on the same port with the same data.
 *
 * @typedef {Control & { brokers: string }} KafkaServer
 * @typedef {Control & { url: string, vector: boolean | undefined }} PostgresServer
 * @typedef {Control & { endpoint: string, accessKey: string, secretKey: string }} MinioServer
 *
 * @typedef {object} Servers
 * @property {KafkaServer} [kafka]
 * @property {PostgresServer} [postgres]
 * @property {MinioServer} [minio]
 * @property {{ name: string, reason: string }[]} missing Unavailable servers, with the reason.
 * @property {Record<string, string>} environment KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY of those that run.
 * @property {() => Promise<void>} stop Ends all that were started here and removes their data.
 */

/**
 * Starts the servers asked for (all when none is named), except those that the environment names. An unavailable server is
 * listed in `missing` with the reason; the others start all the same. The servers end with this process, however it ends.
 *
 * @param {{ kafka?: boolean, postgres?: boolean, minio?: boolean, durable?: boolean, host?: string, from?: string[], instead?: Record<string, object>, log?: (line: string) => void, env?: NodeJS.ProcessEnv }} [options]
 *   `durable: false` lets PostgreSQL answer before its data are on the disk; `host` is an address of this machine to
 *   listen on, loopback when left out, which containers do in any case; `from` are the sources to try, in order,
 *   of `packages` and `containers` (default: as ADIT_TEST_SERVERS_FROM says); `instead` are other servers of a kind by
 *   its name, such as SeaweedFS for `minio`; `log` gets a line for each step.
 * @returns {Promise<Servers>}
 */
export async function startServers(options = {}) {
  const { durable = true, host, from, instead = {}, log = () => undefined, env = process.env, ...asked } = options;
  const named = Object.keys(kinds).filter((name) => asked[name]);
  const names = named.length > 0 ? named : Object.keys(kinds);
  const guard = new Guard();
  const folders = [];
  const running = [];
  const result = { missing: [], environment: {} };

  result.stop = async () => {
    await Promise.all(running.map((server) => server.dispose()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    guard.dismiss();
  };

  await Promise.all(
    names.map(async (name) => {
      const kind = instead[name] ?? kinds[name];
      try {
        const given = kind.given(env);
        const server =
          given === null
            ? await bringUp(kind, from, { durable, host, log, guard, folders, running })
            : handedOver(kind, given);
        result[name] = server;
        Object.assign(result.environment, kind.environment(server));
      } catch (error) {
        result.missing.push({ name, reason: error.message });
        log(`${kind.title}: ${error.message}`);
      }
    }),
  );
  return result;
}

/** Installs and starts a server; `folders` and `running` get what has to be removed and ended. */
async function bringUp(kind, from, { durable, host, log, guard, folders, running }) {
  const installation = await prepareKind(kind, from);
  for (let tries = 1; ; tries += 1) {
    const folder = mkdtempSync(join(tmpdir(), `adit-${kind.name}-`));
    // The user that PostgreSQL runs as has to enter.
    chmodSync(folder, 0o711);
    folders.push(folder);
    guard.notify({ folder });
    const started = performance.now();
    const { facts, run } = await planned(kind, installation, { folder, durable, host, guard });
    try {
      await run.start();
    } catch (error) {
      await run.dispose();
      if (tries >= START_TRIES || !/in use|bind|allocated/i.test(error.message)) throw error;
      continue;
    }
    running.push(run);
    log(`${kind.title}: ready in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (facts.vector === false) log(`${kind.title}: without pgvector, which is unavailable.`);
    return {
      ...facts,
      name: kind.name,
      given: false,
      logFile: run.logFile,
      pid: () => run.pid,
      stop: () => run.stop(),
      kill: () => run.kill(),
      start: () => run.start(),
    };
  }
}

/** Plans a server of an installation: its facts, and the process or container that runs it. */
async function planned(kind, installation, { folder, durable, host, guard }) {
  const common = { name: kind.title, folder, log: join(folder, 'server.log'), guard };
  if (installation.image === undefined) {
    const { facts, process: server } = await kind.plan(installation, { folder, durable, host });
    return { facts, run: new ServerProcess({ ...common, ...server }) };
  }
  const [port] = await freePorts(1);
  const { facts, container } = kind.contained({ port, durable });
  const names = { container: `adit-${kind.name}-${port}`, image: installation.image };
  return { facts, run: new ServerContainer({ ...common, ...names, port, ...container }) };
}

/** Installations in the making, by kind and by sources. */
const preparing = new Map();

/**
 * Fetches or builds the server once, from the first of `sources` that works; answers its installation. Throws a SetupError
 * that says what to do. A failure is kept for the process and not tried again for every spec.
 */
export function prepareServer(name, sources) {
  return prepareKind(kinds[name], sources);
}

function prepareKind(kind, sources) {
  if (!preparing.has(kind)) preparing.set(kind, new Map());
  const bySources = preparing.get(kind);
  const key = String(sources ?? '');
  if (!bySources.has(key)) bySources.set(key, prepare(kind, sources));
  return bySources.get(key);
}

async function prepare(kind, sources) {
  const step = new Step({ live: false });
  try {
    return await firstToWork(sources ?? sourcesOf(process.env), {
      packages: async () => {
        try {
          return kind.find() ?? (await kind.install(step));
        } catch (error) {
          step.end(true);
          throw error;
        }
      },
      containers: async () => {
        if (kind.contained === undefined) throw new SetupError(`${kind.title} is not run as a container here.`);
        return { image: await ensureImage(kind.name, step) };
      },
    });
  } finally {
    step.end();
  }
}

function handedOver(kind, facts) {
  const refuse = async () => {
    throw new Error(`${kind.title} was given by the environment; stop or start it yourself.`);
  };
  return {
    ...facts,
    name: kind.name,
    given: true,
    logFile: null,
    pid: () => null,
    stop: refuse,
    kill: refuse,
    start: refuse,
  };
}
