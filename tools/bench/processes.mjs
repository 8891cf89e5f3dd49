// The services as processes of their own on real servers, as the rows see them.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pullModel } from '@adit/models';
import { startServers } from '@adit/servers';
import { serviceNames, startStack } from '@adit/stack';
import pg from 'pg';
import { Client } from './client.mjs';
import { timed } from './measure.mjs';

const API_KEY = 'the-key-of-the-benchmark';
const ENDED = ['completed', 'failed', 'stopped'];
/** Lines of a process that are told when it does not start. */
const LAST_LINES = 20;

export class Processes {
  #folder;
  #servers;
  #stack;
  #lines = [];

  /**
   * Starts servers and services; both end with `close`.
   *
   * @param {object} options
   * @param {string[]} [options.only] The services that run, the gateway among them; all when left out.
   * @param {string[]} [options.roots] Folders that jobs may read from.
   * @param {string[]} [options.pulled] Models that are pulled before.
   * @param {Record<string, string>} [options.environment] Settings of all processes.
   * @param {Record<string, Record<string, string>>} [options.settings] Settings by service.
   * @param {Record<string, number>} [options.counts] Processes by service.
   * @param {Record<string, string>} [options.programs] Programs in place of a service's own.
   */
  static async start({
    only,
    roots = [],
    pulled = [],
    environment = {},
    settings,
    counts = {},
    programs,
    onLine = () => undefined,
  }) {
    const processes = new Processes();
    try {
      processes.#folder = await mkdtemp(join(tmpdir(), 'adit-bench-'));
      const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');
      for (const name of pulled) await pullModel({ name, modelsDir: processes.modelsDir, cacheDir });
      processes.#servers = await startServers();
      const { missing, environment: servers } = processes.#servers;
      if (missing.length > 0) throw new Error(missing.map(({ name, reason }) => `${name}: ${reason}`).join(' '));
      const others = serviceNames().filter((name) => only !== undefined && !only.includes(name));
      processes.#stack = await startStack({
        servers,
        dataDir: processes.#folder,
        environment: {
          ...process.env,
          ADIT_LOG_FORMAT: 'json',
          ADIT_LOG_LEVEL: 'warn',
          ADIT_API_KEY: API_KEY,
          ADIT_LOCAL_ROOTS: roots.join(','),
          ...environment,
        },
        settings,
        counts: { ...Object.fromEntries(others.map((name) => [name, 0])), ...counts },
        programs,
        onLine: (name, line) => {
          onLine(name, line);
          processes.#lines.push(`${name}: ${line}`);
          if (processes.#lines.length > LAST_LINES) processes.#lines.shift();
        },
      });
      await processes.#stack.ready(180);
      // A pool: a session that the server ends does not end the bench.
      processes.db = new pg.Pool({ connectionString: servers.DATABASE_URL, max: 2, application_name: 'adit-bench' });
      processes.db.on('error', () => undefined);
      return processes;
    } catch (error) {
      await processes.close();
      throw new Error(`${error.message}\n${processes.#lines.join('\n')}`, { cause: error });
    }
  }

  /** KAFKA_BROKERS, DATABASE_URL, S3_ENDPOINT and what belongs to them. */
  get environment() {
    return this.#servers.environment;
  }

  /** The log file of PostgreSQL; null when the environment names the server. */
  get postgresLog() {
    return this.#servers.postgres.logFile;
  }

  /** Folder of the models of the installation. */
  get modelsDir() {
    return join(this.#folder, 'models');
  }

  get url() {
    return this.#stack.url;
  }

  /** Headers that authorise a request. */
  get headers() {
    return { authorization: `Key ${API_KEY}` };
  }

  /** The processes of one service. */
  of(service) {
    return this.#stack.of(service);
  }

  /** A client of the workspace that is there from the start. */
  client() {
    return new Client(`${this.url}/api/v1`, API_KEY);
  }

  /** A client of another workspace. */
  async neighbour() {
    const { authorization } = await this.workspace('neighbour');
    return new Client(`${this.url}/api/v1`, authorization.replace('Key ', ''));
  }

  /** Addresses of the probes by process name. */
  get probes() {
    return this.#stack.processes.map(({ name, address }) => ({ name, url: `${address}/healthz` }));
  }

  /** A reply of the API as JSON. */
  async get(path, { headers = this.headers, ...init } = {}) {
    const reply = await fetch(`${this.url}/api/v1${path}`, {
      ...init,
      headers: {
        ...headers,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        prefer: 'wait=60',
      },
    });
    const answer = await reply.json();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Creates a job without waiting for its end. */
  async post(sources, modules, headers = this.headers) {
    const reply = await fetch(`${this.url}/api/v1/jobs/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ sources, modules }),
    });
    const job = await reply.json();
    if (!reply.ok) throw new Error(`The job was refused: ${reply.status} ${JSON.stringify(job)}`);
    return job;
  }

  /** Waits until the job has ended; throws when it did not complete. */
  async completed(id, headers = this.headers) {
    for (;;) {
      const job = await this.get(`/jobs/${id}/`, { headers });
      if (job.state === 'completed') return job;
      if (ENDED.includes(job.state)) throw new Error(`The job ${job.state}: ${job.errors.join(' ')}`);
    }
  }

  /** Mines and waits; `seconds` are those from POST to completed. */
  async mine(sources, modules) {
    const { seconds, value: job } = await timed(async () => this.completed((await this.post(sources, modules)).id));
    return { id: job.id, seconds };
  }

  /** Another workspace: the headers of its key. */
  async workspace(name) {
    const [id, key] = [randomUUID(), `adit_${randomBytes(24).toString('base64url')}`];
    await this.db.query('INSERT INTO workspaces (id, name, signing_secret) VALUES ($1, $2, $3)', [id, name, 'whsec_']);
    await this.db.query(
      `INSERT INTO api_keys (id, workspace_id, name, prefix, hash) VALUES ($1, $2, 'bench', $3, $4)`,
      [randomUUID(), id, key.slice(0, 9), createHash('sha256').update(key).digest('hex')],
    );
    return { authorization: `Key ${key}` };
  }

  async close() {
    await this.db?.end();
    await this.#stack?.stop();
    await this.#servers?.stop();
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }
}
