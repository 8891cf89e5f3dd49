// Serves test servers over loopback HTTP and starts each on its first request. The specs of one test run, in several jest
// workers, share one Kafka that way, and specs without Kafka do not wait for it.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { kinds, startServers } from './index.mjs';
import { triedMediamtx } from './mediamtx.mjs';
import { POOLERS, startPgbouncer } from './pgbouncer.mjs';

/**
 * Listens on loopback; `url` carries a secret, and is what ADIT_TEST_SERVERS is set to.
 *
 *   GET    <url>/shared/<name>             the shared server, started by the first request
 *   GET    <url>/shared/pgbouncer          PgBouncers in front of the shared PostgreSQL, one for each of POOLERS
 *   GET    <url>/program/mediamtx          the path of the program, which specs start by themselves
 *   POST   <url>/own/<name>                another server, for specs that stop it: answers its `id`
 *   POST   <url>/own/<id>/stop|kill|start  the same port and data all the time
 *   DELETE <url>/own/<id>                  ends it and removes its data
 *
 * Answers 200 with the server's facts, or 503 with `reason` when it is unavailable.
 *
 * @param {{ log?: (line: string) => void, populate?: Record<string, (facts: object) => Promise<object>> }} [options]
 *   `populate` fills the shared server of that name before its first use; its answer is added to the facts.
 */
export async function openKeeper({ log = () => undefined, populate = {} } = {}) {
  const keeper = new Keeper(log, populate);
  const secret = randomUUID();
  const http = createServer(async (request, response) => {
    const [token, ...path] = request.url.slice(1).split('/');
    let status = 200;
    let body;
    try {
      body = token === secret ? await keeper.answer(request.method, path) : null;
      if (body === null) status = 404;
      else if ('reason' in body) status = 503;
    } catch (error) {
      status = 500;
      body = { reason: error.message };
    }
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(body));
  });
  await new Promise((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve));
  // The work of the owner decides how long the process lives, not this server.
  http.unref();

  return {
    url: `http://127.0.0.1:${http.address().port}/${secret}`,
    /** Unavailable servers that were asked for, with the reason by name. */
    missing: keeper.missing,
    async close() {
      keeper.closing = true;
      http.close();
      await keeper.stop();
    },
  };
}

class Keeper {
  closing = false;
  missing = new Map();
  #log;
  #populate;
  #shared = new Map();
  #populated = new Map();
  #own = new Map();
  #pooling = null;

  constructor(log, populate) {
    this.#log = log;
    this.#populate = populate;
  }

  /** Answers a request; null for an unknown path, and for all while closing. */
  async answer(method, [verb, key, action]) {
    if (this.closing) return null;
    if (method === 'GET' && verb === 'shared' && key in kinds) return await this.#share(key);
    if (method === 'GET' && verb === 'shared' && key === 'pgbouncer') {
      this.#pooling ??= this.#pool();
      return await this.#pooling;
    }
    if (method === 'GET' && verb === 'program' && key === 'mediamtx') return await this.#mediamtx();
    if (verb !== 'own') return null;
    if (method === 'POST' && key in kinds) return await this.#startOwn(key);
    return await this.#actOnOwn(method, key, action);
  }

  async stop() {
    const all = [...this.#shared.values(), ...[...this.#own.values()].map(({ starting }) => starting)];
    await (await this.#pooling)?.stop();
    await Promise.all(all.map(async (starting) => (await starting).stop()));
  }

  async #share(name) {
    if (!this.#shared.has(name)) {
      // Test data need not survive a power cut.
      const starting = startServers({ [name]: true, durable: false, log: this.#log });
      this.#shared.set(name, starting);
      this.#populated.set(
        name,
        starting.then((servers) => (servers[name] ? this.#populate[name]?.(servers[name]) : undefined)),
      );
    }
    return { ...this.#factsOf(name, await this.#shared.get(name)), ...(await this.#populated.get(name)) };
  }

  /** Starts the PgBouncers; answers their urls by name, or the reason why there are none. */
  async #pool() {
    const upstream = await this.#share('postgres');
    if ('reason' in upstream) return { ...upstream, stop: async () => undefined };
    const poolers = {};
    try {
      for (const [name, settings] of Object.entries(POOLERS)) {
        poolers[name] = await startPgbouncer(upstream.url, settings);
      }
    } catch (error) {
      this.missing.set('pgbouncer', error.message);
      this.#log(`PgBouncer: ${error.message}`);
    }
    const stop = async () => void (await Promise.all(Object.values(poolers).map((pooler) => pooler.remove())));
    const urls = Object.fromEntries(Object.entries(poolers).map(([name, { url }]) => [name, url]));
    const reason = this.missing.get('pgbouncer');
    return reason === undefined ? { ...urls, stop } : { reason, stop };
  }

  async #mediamtx() {
    const tried = await triedMediamtx();
    if ('reason' in tried) {
      this.missing.set('mediamtx', tried.reason);
      this.#log(`MediaMTX: ${tried.reason}`);
    }
    return tried;
  }

  async #startOwn(name) {
    const id = randomUUID();
    // Listed before it runs: the keeper may close meanwhile.
    const starting = startServers({ [name]: true, durable: false, log: this.#log, env: {} });
    this.#own.set(id, { name, starting });
    return { id, ...this.#factsOf(name, await starting) };
  }

  async #actOnOwn(method, id, action) {
    const entry = this.#own.get(id);
    if (entry === undefined) return null;
    const servers = await entry.starting;
    if (method === 'DELETE') {
      this.#own.delete(id);
      await servers.stop();
      return {};
    }
    if (method !== 'POST' || !['stop', 'kill', 'start'].includes(action)) return null;
    await servers[entry.name]?.[action]();
    return {};
  }

  #factsOf(name, servers) {
    const [absent] = servers.missing;
    if (absent === undefined) return { ...servers[name] };
    this.missing.set(name, absent.reason);
    return { reason: absent.reason };
  }
}
