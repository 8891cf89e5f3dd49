// An outage: a server is stopped or a disk is full for a while. Checks the promises meanwhile, and measures the recovery.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export const SERVERS = ['kafka', 'postgres', 'minio'];
/** Disks that are full for a while, in the long form. */
export const FULL = ['full database', 'full object store', 'full data folder'];
/** Limit until a photo is mined afterwards. */
const RECOVERY_SECONDS = 600;
const PAUSE_MS = 500;

/**
 * @typedef {object} Outage
 * @property {string} server The server, or the full disk.
 * @property {Record<string, Record<string, number>>} replies Number of replies by request and status.
 * @property {number} slowestSeconds Time of the slowest reply.
 * @property {number} recoverySeconds From the server's return until a photo was mined; after Kafka's one that was posted
 *   while it was away, else one that was posted on its return.
 */

const list = {
  name: 'reading jobs',
  send: (client, { patience }) => client.probe('GET', '/jobs/?limit=1', {}, patience),
};
const upload = {
  name: 'an upload',
  send(client, { patience }) {
    const body = new FormData();
    body.append('file', new Blob(['Some bytes.']), 'some.bin');
    body.append('name', randomUUID());
    body.append('folder', '/');
    return client.probe('POST', '/storage/', { headers: { 'content-type': undefined }, body }, patience);
  },
};
const post = {
  name: 'posting a job',
  send: (client, { photo, key, patience }) =>
    client.probe('POST', '/jobs/', { headers: { 'idempotency-key': key }, body: JSON.stringify(photo) }, patience),
};
const ready = (says) => ({
  name: 'readiness',
  says,
  send: (client, { patience }) => client.probe('GET', client.root('/readyz'), {}, patience),
});
const alive = {
  name: 'liveness',
  send: (client, { patience }) => client.probe('GET', client.root('/healthz'), {}, patience),
};

/** Requests that are served during an outage, and those that are refused with 503; the client checks Retry-After. */
const PROMISES = {
  // Accepted jobs wait in the outbox.
  kafka: { served: [list, post, upload, alive, ready('"name":"bus","ok":false')], refused: [] },
  postgres: { served: [alive], refused: [list, post, upload, ready('Not ready: database')] },
  minio: { served: [list, post, alive, ready('"name":"objects","ok":false')], refused: [upload] },
  // Rows that fit into existing pages are taken, others are answered 507. PostgreSQL ends a new session that cannot write its
  // catalogue cache ("could not write init file"); PgBouncer then refuses all for `server_login_retry`, without the reason: 503.
  'full database': { served: [alive], full: [list, post, upload], mayRefuse: true },
  'full object store': { served: [list, post, alive], full: [upload] },
  // Decoders keep sources there; the gateway needs none of them.
  'full data folder': { served: [list, post, upload, alive] },
};

/**
 * @param {string} name One of SERVERS or FULL.
 * @param {{ stop(): Promise<void>, start(): Promise<void> }} server `stop` stops the server or fills the disk.
 * @param {import('./client.mjs').ChaosClient[]} clients All clients of the run; the first sends the requests here.
 * @param {{ outageSeconds: number, patienceSeconds: number, photo: object, log: (line: string) => void }} options
 * @returns {{ back: Promise<void>, recovered: Promise<Outage> }} Resolve when the server is back, and when a photo was mined.
 */
export function causeOutage(name, server, clients, { outageSeconds, patienceSeconds, photo, log }) {
  const outage = { server: name, replies: {}, slowestSeconds: 0, recoverySeconds: Infinity };
  const key = `outage-${randomUUID()}`;
  const [client] = clients;
  const { served, refused = [], full = [], mayRefuse = false } = PROMISES[name];
  const back = (async () => {
    log(`${name}: for ${outageSeconds} s`);
    for (const each of clients) each.mayBeFull = FULL.includes(name);
    await server.stop();
    const end = Date.now() + outageSeconds * 1000;
    const asked = [...served, ...refused, ...full];
    // Every promise is checked, however short the outage.
    for (let round = 0; round < asked.length || Date.now() < end; round += 1) {
      const request = asked[round % asked.length];
      const began = performance.now();
      const answer = await request.send(client, { photo, key, patience: patienceSeconds });
      outage.slowestSeconds = Math.max(outage.slowestSeconds, Math.round((performance.now() - began) / 100) / 10);
      const counts = (outage.replies[request.name] ??= {});
      counts[answer.status ?? 'none'] = (counts[answer.status ?? 'none'] ?? 0) + 1;
      const isServed = answer.status >= 200 && answer.status < 300;
      const kept = refused.includes(request)
        ? answer.status === 503
        : isServed || (full.includes(request) && (answer.status === 507 || (mayRefuse && answer.status === 503)));
      const said = request.says === undefined || answer.text.includes(request.says);
      if (!kept || !said) {
        const text = answer.text.slice(0, 300);
        client.violations.push(`${name}, ${request.name}: ${answer.status ?? 'no answer'} ${text}`);
      }
      await sleep(round < asked.length ? 0 : PAUSE_MS);
    }
    await startAgain(server);
  })();
  const recovered = back.then(async () => {
    const returned = performance.now();
    const { id } = await client.submit(photo, key);
    const { state } = await client.ended(id, Date.now() + RECOVERY_SECONDS * 1000);
    if (state !== 'completed') client.violations.push(`After ${name} a photo ${state}`);
    for (const each of clients) each.mayBeFull = false;
    outage.recoverySeconds = Math.round((performance.now() - returned) / 100) / 10;
    log(`${name}: over; a photo was mined ${outage.recoverySeconds} s later`);
    return outage;
  });
  // The failure reaches the caller through `recovered`.
  back.catch(() => undefined);
  return { back, recovered };
}

/** Starts the server; on a busy machine a start may time out, and is tried again. */
async function startAgain(server) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await server.start();
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}
