// Gives servers to whoever asks over loopback HTTP, and starts them only then: how the specs of one test run, in
// several jest workers, share one Kafka that nobody waits for who does not need it.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { kinds, startServers } from './index.mjs';
import { POOLERS, startPgbouncer } from './pgbouncer.mjs';

/**
 * Listens on loopback; `url` carries a secret, and is what ADIT_TEST_SERVERS is set to.
 *
 *   GET    <url>/shared/<name>             the server that all share, started by the first who asks
 *   GET    <url>/shared/pgbouncer          PgBouncers in front of the PostgreSQL that all share, one for each of POOLERS
 *   POST   <url>/own/<name>                one more, for whoever means to stop it: answers its `id`
 *   POST   <url>/own/<id>/stop|kill|start  the same port and data all the time
 *   DELETE <url>/own/<id>                  ends it and removes its data
 *
 * Answers 200 with the server's facts, or 503 with `reason` when it could not be had.
 *
 * @param {{ log?: (line: string) => void, populate?: Record<string, (facts: object) => Promise<object>> }} [options]
 *   `populate` puts something into the shared server of that name before anybody gets it; its answer is added to the facts.
 */
export async function openKeeper({ log = () => undefined, populate = {} } = {}) {
  const shared = new Map();
  const populated = new Map();
  const own = new Map();
  let pooling = null;
  const missing = new Map();
  const secret = randomUUID();
  let closing = false;

  // Test data are not worth waiting for the disk.
  const bringUp = (name) => startServers({ [name]: true, durable: false, log });

  async function share(name) {
    if (!shared.has(name)) {
      const starting = bringUp(name);
      shared.set(name, starting);
      populated.set(
        name,
        starting.then((servers) => (servers[name] ? populate[name]?.(servers[name]) : undefined)),
      );
    }
    return { ...factsOf(name, await shared.get(name)), ...(await populated.get(name)) };
  }

  /** The urls through them, by name; or why there are none. */
  async function pool() {
    const upstream = await share('postgres');
    if ('reason' in upstream) return { ...upstream, stop: async () => undefined };
    const poolers = {};
    try {
      for (const [name, settings] of Object.entries(POOLERS)) {
        poolers[name] = await startPgbouncer(upstream.url, settings);
      }
    } catch (error) {
      missing.set('pgbouncer', error.message);
      log(`PgBouncer: ${error.message}`);
    }
    const stop = async () => void (await Promise.all(Object.values(poolers).map((pooler) => pooler.remove())));
    const urls = Object.fromEntries(Object.entries(poolers).map(([name, { url }]) => [name, url]));
    return missing.has('pgbouncer') ? { reason: missing.get('pgbouncer'), stop } : { ...urls, stop };
  }

  async function answer(method, [verb, key, action]) {
    if (method === 'GET' && verb === 'shared' && key in kinds) return await share(key);
    if (method === 'GET' && verb === 'shared' && key === 'pgbouncer') {
      pooling ??= pool();
      return await pooling;
    }
    if (verb !== 'own') return null;
    if (method === 'POST' && key in kinds) {
      const id = randomUUID();
      // Listed before it runs: the keeper may close meanwhile.
      const starting = startServers({ [key]: true, durable: false, log, env: {} });
      own.set(id, { name: key, starting });
      return { id, ...factsOf(key, await starting) };
    }
    const entry = own.get(key);
    if (entry === undefined) return null;
    const servers = await entry.starting;
    if (method === 'DELETE') {
      own.delete(key);
      await servers.stop();
      return {};
    }
    if (method !== 'POST' || !['stop', 'kill', 'start'].includes(action)) return null;
    await servers[entry.name]?.[action]();
    return {};
  }

  function factsOf(name, servers) {
    const [absent] = servers.missing;
    if (absent !== undefined) missing.set(name, absent.reason);
    return absent === undefined ? { ...servers[name] } : { reason: absent.reason };
  }

  const http = createServer(async (request, response) => {
    const [token, ...path] = request.url.slice(1).split('/');
    let status = 200;
    let body;
    try {
      body = token === secret && !closing ? await answer(request.method, path) : null;
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
  // Whoever keeps it has other work that decides how long the process lives.
  http.unref();

  return {
    url: `http://127.0.0.1:${http.address().port}/${secret}`,
    /** Reason by name of the servers that were asked for and could not be had. */
    missing,
    async close() {
      closing = true;
      http.close();
      const all = [...shared.values(), ...[...own.values()].map(({ starting }) => starting)];
      await (await pooling)?.stop();
      await Promise.all(all.map(async (starting) => (await starting).stop()));
    },
  };
}
