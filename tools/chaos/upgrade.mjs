// Replaces all processes by those of another build, one by one, and back again, while jobs run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@adit/stack';
import { ChaosClient } from './client.mjs';
import { disableObservationCache, messagesLeft, unknownJobs } from './database.mjs';
import { chaosEnvironment, KEY } from './environment.mjs';
import { chaosMedia } from './media.mjs';
import { startReceiver } from './receiver.mjs';
import { replaceAll } from './rolling-restart.mjs';
import { awaitWebhooks, tally } from './tally.mjs';

/** Kinds of jobs; those of one inference pool are enough to use every topic. None is a live stream. */
const KINDS = ['a photo', 'three photos', 'a film', 'two films', 'no media'];
const COUNTS = {
  ...{ decoder: 2, 'inference-face': 2, aggregator: 2, recorder: 0 },
  ...{ 'inference-landmark': 0, 'inference-object': 0, 'inference-speech': 0, 'inference-text': 0 },
};

/**
 * @typedef {object} UpgradeOptions
 * @property {{ root: string, name: string }} from The build that runs first.
 * @property {{ root: string, name: string }} to The build that takes over for a while.
 * @property {number} flight Number of jobs that run at any time.
 * @property {number} [graceSeconds] Limit of a process to end.
 * @property {(line: string) => void} [log]
 * @property {(name: string, line: string) => void} [onLine] Gets every line of every process.
 *
 * @typedef {ReturnType<typeof tally> extends Promise<infer T> ? T : never} Tally
 * @typedef {Tally & { crashed: string[], deadLetters: string[], violations: string[], refused: number, replaced: number,
 *   messagesLeft: number, seconds: number }} UpgradeReport
 */

/**
 * @param {Record<string, string>} addresses KAFKA_BROKERS, DATABASE_URL and so on.
 * @param {UpgradeOptions} options
 * @returns {Promise<UpgradeReport>}
 */
export async function runUpgrade(addresses, { from, to, flight, graceSeconds = 60, log = () => undefined, onLine }) {
  const folder = mkdtempSync(join(tmpdir(), 'adit-upgrade-'));
  const { kinds: all, roots } = await chaosMedia(join(folder, 'media'));
  const kinds = all.filter(({ name }) => KINDS.includes(name));
  const receiver = await startReceiver();
  const crashed = [];
  const deadLetters = [];
  const stack = await startStack({
    servers: addresses,
    dataDir: join(folder, 'data'),
    root: from.root,
    counts: COUNTS,
    environment: chaosEnvironment(roots, {}),
    onLine: (name, line) => {
      if (/^ended \(/.test(line)) crashed.push(`${name} ${line}`);
      if (line.includes('became a dead letter')) deadLetters.push(`${name} ${line}`);
      onLine?.(name, line);
    },
  });
  const began = performance.now();
  try {
    await stack.ready();
    await disableObservationCache(addresses.DATABASE_URL);
    const client = new ChaosClient(stack.url, KEY);
    const replacing = { kinds, receiver, from, to, flight, crashed, graceSeconds, log };
    const { ended, references, replaced } = await mineWhileReplacing(stack, client, replacing);
    await awaitWebhooks(receiver, ended);
    const counted = await tally(client, receiver, ended, await resultsByKind(client, references));
    counted.doubled.push(...(await unknownJobs(addresses.DATABASE_URL, [client])));
    return {
      ...counted,
      ...{ crashed, deadLetters, replaced },
      ...{ violations: client.violations, refused: client.refused },
      messagesLeft: await messagesLeft(addresses.DATABASE_URL),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await stack.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Mines every kind on each build alone, and jobs without a pause while processes are replaced. */
async function mineWhileReplacing(stack, client, { kinds, receiver, from, to, flight, crashed, graceSeconds, log }) {
  const mine = async (kind, key) => {
    const webhook = { callback: receiver.url, events: ['job.on_started', 'job.on_completed', 'job.on_failed'] };
    const { id } = await client.submit({ ...kind.order, webhook }, key);
    return { kind, id, job: await client.ended(id, Date.now() + 15 * 60_000) };
  };
  const alone = (build) => {
    log(`Every kind of job on ${build.name} alone`);
    return Promise.all(kinds.map((kind) => mine(kind, `${build.name}-${kind.name}`)));
  };

  const references = await alone(from);
  const ended = [...references];
  let over = false;
  let number = 0;
  const miners = Array.from({ length: flight }, async () => {
    while (!over) {
      const kind = kinds[number % kinds.length];
      ended.push(await mine(kind, `upgrade-${number++}`));
    }
  });
  const options = { crashed, graceSeconds, log, count: () => ended.length };
  let replaced = await replaceAll(stack, to, options);
  const others = await alone(to);
  references.push(...others);
  ended.push(...others);
  replaced += await replaceAll(stack, from, options);
  over = true;
  await Promise.all(miners);
  return { ended, references, replaced };
}

/** Reads the results of all builds through the same gateway. */
async function resultsByKind(client, references) {
  const results = new Map();
  for (const { kind, id } of references) {
    results.set(kind.name, [...(results.get(kind.name) ?? []), await client.results(id)]);
  }
  return results;
}
