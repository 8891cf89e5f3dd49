// All processes are replaced by those of another build, one by one, and back again, while jobs run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@adit/stack';
import { queryDatabase } from '@adit/testing';
import { chaosEnvironment, forgetObservations, KEY, messagesLeft } from './chaos.mjs';
import { ChaosClient } from './client.mjs';
import { chaosMedia } from './media.mjs';
import { startReceiver } from './receiver.mjs';
import { replaceAll } from './rolling-restart.mjs';
import { awaitWebhooks, tally } from './tally.mjs';

/** What is mined: what the services of one family do is enough to meet every topic. */
const KINDS = ['a photo', 'three photos', 'a film', 'two films', 'no media'];
const COUNTS = {
  ...{ decoder: 2, 'inference-face': 2, aggregator: 2 },
  ...{ 'inference-landmark': 0, 'inference-object': 0, 'inference-speech': 0, 'inference-text': 0 },
};

/**
 * @typedef {object} UpgradeOptions
 * @property {{ root: string, name: string }} from The build that is at work first.
 * @property {{ root: string, name: string }} to The build that takes over, and hands back.
 * @property {number} flight Jobs that are under way at any time.
 * @property {number} [graceSeconds] What a process may take to end.
 * @property {(line: string) => void} [log]
 * @property {(name: string, line: string) => void} [onLine] Told every line of every process.
 *
 * @typedef {ReturnType<typeof tally> extends Promise<infer T> ? T : never} Tally
 * @typedef {Tally & { crashed: string[], givenUp: string[], violations: string[], refused: number, replaced: number,
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
  const givenUp = [];
  const stack = await startStack({
    servers: addresses,
    dataDir: join(folder, 'data'),
    root: from.root,
    counts: COUNTS,
    environment: chaosEnvironment(roots, {}),
    onLine: (name, line) => {
      if (/^ended \(/.test(line)) crashed.push(`${name} ${line}`);
      if (line.includes('became a dead letter')) givenUp.push(`${name} ${line}`);
      onLine?.(name, line);
    },
  });
  const began = performance.now();
  try {
    await stack.ready();
    await forgetObservations(addresses.DATABASE_URL);
    const client = new ChaosClient(stack.url, KEY);
    const mine = async (kind, key) => {
      const webhook = { callback: receiver.url, events: ['job.on_started', 'job.on_completed', 'job.on_failed'] };
      const { id } = await client.submit({ ...kind.order, webhook }, key);
      return { kind, id, job: await client.ended(id, Date.now() + 15 * 60_000) };
    };
    const alone = (build) => Promise.all(kinds.map((kind) => mine(kind, `${build.name}-${kind.name}`)));

    log(`Every kind of job on ${from.name} alone`);
    const references = [await alone(from)];
    const ended = [...references[0]];
    let over = false;
    let number = 0;
    const miners = Array.from({ length: flight }, async () => {
      while (!over) {
        const kind = kinds[number % kinds.length];
        ended.push(await mine(kind, `upgrade-${number++}`));
      }
    });
    let replaced = await replaceAll(stack, to, { crashed, graceSeconds, log, count: () => ended.length });
    log(`Every kind of job on ${to.name} alone`);
    references.push(await alone(to));
    ended.push(...references[1]);
    replaced += await replaceAll(stack, from, { crashed, graceSeconds, log, count: () => ended.length });
    over = true;
    await Promise.all(miners);
    await awaitWebhooks(receiver, ended);
    // By the same gateway, for all of them.
    const undisturbed = new Map();
    for (const { kind, id } of references.flat()) {
      undisturbed.set(kind.name, [...(undisturbed.get(kind.name) ?? []), await client.results(id)]);
    }
    const counted = await tally(client, receiver, ended, undisturbed);
    for (const { id } of await queryDatabase(addresses.DATABASE_URL, 'SELECT id FROM jobs')) {
      if (!client.accepted.has(id)) counted.doubled.push(`${id}: a job that nobody was told of`);
    }
    return {
      ...counted,
      ...{ crashed, givenUp, replaced },
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
