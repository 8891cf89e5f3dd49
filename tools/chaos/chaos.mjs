// Many jobs while processes are killed and servers go away; afterwards everything is counted.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startStack } from '@adit/stack';
import { ChaosClient } from './client.mjs';
import { chaosMedia } from './media.mjs';
import { startReceiver } from './receiver.mjs';

const KEY = 'a-key-of-the-chaos-run-alone';
const RECOVERY_SECONDS = 120;

/**
 * @typedef {object} ChaosOptions
 * @property {number} jobs
 * @property {number} kills SIGKILLs of a random process.
 * @property {number} outageSeconds How long each server is stopped, one after the other.
 * @property {string} [seed] Which jobs and which processes: the same seed gives the same plan.
 * @property {boolean} [source] Run the sources instead of the build.
 * @property {Record<string, string>} [environment] Settings of all processes.
 * @property {(line: string) => void} [log]
 * @property {(done: number, all: number) => void} [progress]
 *
 * @typedef {object} Outage
 * @property {string} server
 * @property {Record<string, number>} replies How requests were answered meanwhile, by status.
 * @property {number} recoverySeconds From the server's return until a photo posted then was mined.
 *
 * @typedef {object} ChaosReport
 * @property {number} jobs
 * @property {Record<string, number>} states
 * @property {string[]} lost Jobs that were accepted and are not there, or have not ended.
 * @property {string[]} wrong Jobs that ended otherwise, or with other results, than undisturbed.
 * @property {string[]} doubled Jobs with a segment, or a webhook, that is there twice.
 * @property {string[]} unheard Jobs whose end no webhook told.
 * @property {Record<string, number>} kills By service.
 * @property {Outage[]} outages
 * @property {string[]} violations Replies that broke a promise.
 * @property {number} refused Requests answered 503 with Retry-After.
 * @property {number} messagesLeft Rows of the outbox at the end.
 * @property {number} seconds
 */

/**
 * @param {Record<'kafka' | 'postgres' | 'minio', { stop(): Promise<void>, start(): Promise<void> }>} servers
 * @param {Record<string, string>} addresses KAFKA_BROKERS, DATABASE_URL and so on.
 * @param {ChaosOptions} options
 * @returns {Promise<ChaosReport>}
 */
export async function runChaos(servers, addresses, options) {
  const {
    jobs,
    kills,
    outageSeconds,
    seed = randomUUID(),
    log = () => undefined,
    progress = () => undefined,
  } = options;
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), 'adit-chaos-'));
  const receiver = await startReceiver();
  const { kinds, roots } = await chaosMedia(join(folder, 'media'));
  log(`Seed ${seed}`);
  const stack = await startStack({
    servers: addresses,
    dataDir: join(folder, 'data'),
    source: options.source ?? false,
    counts: { decoder: 2, 'inference-face': 2, aggregator: 2 },
    environment: {
      ...process.env,
      NODE_OPTIONS: '',
      ADIT_LOG_FORMAT: 'json',
      ADIT_LOG_LEVEL: 'warn',
      ADIT_API_KEY: KEY,
      ADIT_LOCAL_ROOTS: roots.join(','),
      ADIT_WEBHOOK_ALLOW_HTTP: 'true',
      ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
      // One row and one thread a run: results are repeatable to the byte.
      ADIT_INFERENCE_THREADS: '1',
      ADIT_INFERENCE_WORKERS: '1',
      // A SIGKILL from outside cannot be told from a crash of native code, and no chunk is poison here.
      ADIT_MAX_ATTEMPTS: '20',
      ...options.environment,
    },
    onLine: options.onLine,
  });
  const began = performance.now();
  try {
    await stack.ready(180);
    await forgetObservations(addresses.DATABASE_URL);
    const client = new ChaosClient(stack.url, KEY);
    const undisturbed = await reference(client, kinds);
    log('Undisturbed results are known; now things break.');

    const plan = Array.from({ length: jobs }, () => pick(kinds, random));
    const ended = [];
    const killed = {};
    const outages = [];
    let breaking = true;
    const killing = killer(stack, { kills, random, killed, until: () => !breaking, log });
    const submitting = (async () => {
      const mining = plan.map(async (kind, index) => {
        // Spread over the outages, so that each meets jobs in every state.
        await sleep((index / jobs) * outageSeconds * 4 * 1000);
        const webhook = { callback: receiver.url, events: ['job.on_completed', 'job.on_failed'] };
        const { id } = await client.submit({ ...kind.order, webhook }, `chaos-${seed}-${index}`);
        ended.push({ kind, id, job: await client.ended(id, Date.now() + 15 * 60_000) });
        progress(ended.length, jobs);
      });
      await Promise.all(mining);
    })();
    for (const name of ['kafka', 'postgres', 'minio']) {
      await sleep(outageSeconds * 250);
      outages.push(await outage(name, servers[name], client, { outageSeconds, kinds, log }));
    }
    await killing;
    breaking = false;
    await submitting;
    await heardOf(receiver, ended);
    return {
      ...(await count(client, receiver, ended, undisturbed)),
      kills: killed,
      outages,
      violations: client.violations,
      refused: client.refused,
      messagesLeft: await messagesLeft(addresses.DATABASE_URL),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await stack.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every kind once, with nothing in its way. */
async function reference(client, kinds) {
  const results = new Map();
  for (const kind of kinds) {
    const { id } = await client.submit(kind.order, `reference-${randomUUID()}`);
    const { state } = await client.ended(id, Date.now() + 5 * 60_000);
    if (state !== (kind.fails ? 'failed' : 'completed')) throw new Error(`Undisturbed, ${kind.name} ${state}.`);
    results.set(kind.name, await client.results(id));
  }
  return results;
}

async function killer(stack, { kills, random, killed, until, log }) {
  for (let count = 0; count < kills && !until(); count += 1) {
    await sleep(1_500 + random() * 4_000);
    const alive = stack.processes.filter(({ pid }) => pid !== null);
    const victim = alive[Math.floor(random() * alive.length)];
    if (victim === undefined) continue;
    log(`SIGKILL ${victim.name}`);
    const service = victim.name.replace(/-\d+$/, '');
    killed[service] = (killed[service] ?? 0) + 1;
    victim.kill();
  }
}

async function outage(name, server, client, { outageSeconds, kinds, log }) {
  const replies = {};
  log(`${name} is stopped for ${outageSeconds} s`);
  await server.stop();
  const end = Date.now() + outageSeconds * 1000;
  for (let round = 0; Date.now() < end; round += 1) {
    const status = await (round % 2 === 0
      ? client.probe('GET', '/jobs/?limit=1')
      : client.probe('POST', '/storage/upload/', { headers: { 'content-type': 'application/json' }, body: '{}' }));
    const key = status === null ? 'no answer' : String(status);
    replies[key] = (replies[key] ?? 0) + 1;
    await sleep(500);
  }
  await server.start();
  const back = performance.now();
  const photo = kinds[0].order;
  const { id } = await client.submit(photo, `recovery-${randomUUID()}`);
  await client.ended(id, Date.now() + 2 * RECOVERY_SECONDS * 1000);
  const recoverySeconds = Math.round((performance.now() - back) / 100) / 10;
  log(`${name} is back; a photo was mined ${recoverySeconds} s later`);
  return { server: name, replies, recoverySeconds };
}

/** Webhooks come at least once, and not at once. */
async function heardOf(receiver, ended) {
  const all = () => ended.every(({ id, job }) => receiver.idsOf(id, `job.on_${job.state}`) > 0);
  for (const end = Date.now() + 60_000; !all() && Date.now() < end;) await sleep(250);
}

async function count(client, receiver, ended, undisturbed) {
  const report = { jobs: ended.length, states: {}, lost: [], wrong: [], doubled: [], unheard: [] };
  const seen = new Set();
  for (const { kind, id, job } of ended) {
    const say = (what) => `${kind.name} ${id}: ${what}`;
    report.states[job.state] = (report.states[job.state] ?? 0) + 1;
    if (seen.has(id)) report.doubled.push(say('two requests became one job'));
    seen.add(id);
    if (!['completed', 'failed', 'stopped'].includes(job.state)) {
      report.lost.push(say(`still ${job.state} at ${job.progress}`));
      continue;
    }
    if (job.state !== (kind.fails ? 'failed' : 'completed')) report.wrong.push(say(`${job.state}: ${job.errors}`));
    const { count, distinct, digest } = await client.results(id);
    if (distinct !== count) report.doubled.push(say(`${count - distinct} segments twice`));
    const wanted = undisturbed.get(kind.name);
    if (digest !== wanted.digest) report.wrong.push(say(`${count} segments, not the ${wanted.count} of before`));
    const webhooks = receiver.idsOf(id, `job.on_${job.state}`);
    if (webhooks === 0) report.unheard.push(say('no webhook'));
    if (webhooks > 1) report.doubled.push(say(`${webhooks} webhooks of one event`));
  }
  return report;
}

/** Else the second photo of a kind would cost nothing and meet no trouble. */
async function forgetObservations(url) {
  await query(url, 'UPDATE workspaces SET observation_cache = false');
}

async function messagesLeft(url) {
  for (const end = Date.now() + 10_000; ; await sleep(250)) {
    const [{ count }] = await query(url, 'SELECT count(*)::int AS count FROM outbox');
    if (count === 0 || Date.now() > end) return count;
  }
}

async function query(url, statement) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

function pick(kinds, random) {
  let at = random() * kinds.reduce((sum, { share }) => sum + share, 0);
  return kinds.find(({ share }) => (at -= share) < 0) ?? kinds[0];
}

/** Numbers from 0 to 1 that a seed determines. */
function seeded(seed) {
  let count = 0;
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}
