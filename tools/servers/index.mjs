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
/** Another process may take a port between its being found free and the server's listening on it. */
const START_TRIES = 3;

/**
 * @typedef {object} Control
 * @property {string} name
 * @property {boolean} given Named by the environment: not ours to stop or start.
 * @property {string | null} logFile Where everything the server writes goes.
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
 * @property {{ name: string, reason: string }[]} missing Servers that could not be had, and why.
 * @property {Record<string, string>} environment KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY of those that run.
 * @property {() => Promise<void>} stop Ends all that were started here and removes their data.
 */

/**
 * Brings up the servers asked for (all when none is named), each unless the environment already names one. What cannot
 * be had is listed in `missing` with the reason and does not keep the others from starting. The servers end with this
 * process, however it ends.
 *
 * @param {{ kafka?: boolean, postgres?: boolean, minio?: boolean, durable?: boolean, host?: string, from?: string[], instead?: Record<string, object>, log?: (line: string) => void, env?: NodeJS.ProcessEnv }} [options]
 *   `durable: false` lets PostgreSQL answer before its data are on the disk; `host` is an address of this machine to
 *   listen on, loopback when left out, which containers do in any case; `from` are the sources to try, in order,
 *   of `packages` and `containers` (default: as ADIT_TEST_SERVERS_FROM says); `instead` are other servers of a kind by
 *   its name, such as SeaweedFS for `minio`; `log` is told what is being done.
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
        const server = given === null ? await bringUp(kind) : handedOver(kind, given);
        result[name] = server;
        Object.assign(result.environment, kind.environment(server));
      } catch (error) {
        result.missing.push({ name, reason: error.message });
        log(`${kind.title}: ${error.message}`);
      }
    }),
  );
  return result;

  async function bringUp(kind) {
    const installation = await prepareKind(kind, from);
    for (let tries = 1; ; tries += 1) {
      const folder = mkdtempSync(join(tmpdir(), `adit-${kind.name}-`));
      // The user whom PostgreSQL runs as has to get through.
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
      if (facts.vector === false) log(`${kind.title}: without pgvector, which could not be had.`);
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
}

/** How to reach the server that an installation makes, and what runs it. */
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

/** By kind and by sources. */
const preparing = new Map();

/**
 * Fetches or builds the server unless that was done, from the first of `sources` that works; answers its installation.
 * Throws a SetupError with what to do. Tried once per process: what failed is not tried for every spec again.
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
    throw new Error(`${kind.title} was given by the environment and is not ours to stop or start.`);
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
