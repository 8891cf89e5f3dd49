// Many jobs while processes are killed, servers go away and everything is restarted; afterwards everything is counted.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pullModel } from '@adit/models';
import { startStack } from '@adit/stack';
import { queryDatabase, smallDisk } from '@adit/testing';
import { ChaosClient } from './client.mjs';
import { DEEDS, mineAndDo, remainsOf } from './deeds.mjs';
import { chaosMedia } from './media.mjs';
import { FULL, SERVERS, causeOutage } from './outage.mjs';
import { startReceiver } from './receiver.mjs';
import { replaceAll, restartAll } from './rolling-restart.mjs';
import { awaitWebhooks, tally } from './tally.mjs';
import { faultsOf, teach, teachingMaterial } from './teaching.mjs';

export const KEY = 'a-key-of-the-chaos-run-alone';
/** What happens one after the other; each meets its share of the jobs. */
const PHASES = [...SERVERS, ...FULL, 'restart', 'upgrade'];

/**
 * @typedef {object} ChaosOptions
 * @property {number} jobs
 * @property {number} [trainings] Datasets that are imported and trained meanwhile; one for twenty jobs when left out.
 * @property {number} kills SIGKILLs of a random process.
 * @property {number} outageSeconds How long each server is stopped, one after the other.
 * @property {string} [seed] Which jobs and which processes, and when: the same seed gives the same plan.
 * @property {Record<string, number>} [counts] Processes by service.
 * @property {string[]} [deeds] What clients do to their jobs; all of DEEDS when left out.
 * @property {Record<string, import('@adit/testing').SmallDisk>} [disks] What can be filled, by the names of FULL but for the data
 *   folder; left out, nothing is full.
 * @property {{ root: string, name: string }} [upgrade] Another build, whose processes take over for a while; left out, all stay of this one.
 * @property {number} [patienceSeconds] The longest that a reply may take while a server is away.
 * @property {number} [graceSeconds] What a process that is restarted in order may take to end.
 * @property {boolean} [source] Run the sources instead of the build.
 * @property {boolean} [isBrief] As `StackOptions.isBrief`.
 * @property {Record<string, string>} [environment] Settings of all processes.
 * @property {(line: string) => void} [log]
 * @property {(done: number, all: number) => void} [progress]
 * @property {(name: string, line: string) => void} [onLine] Told every line of every process.
 *
 * @typedef {object} ChaosReport
 * @property {number} jobs
 * @property {Record<string, number>} states
 * @property {boolean} hasSpeech Whether speech was among the jobs.
 * @property {number} trainings Datasets that were imported and trained, each with a job that names the model.
 * @property {string[]} lost Jobs that were accepted and are not there, or have not ended; imports and trainings, too.
 * @property {string[]} wrong Jobs that ended otherwise, or with other results, than undisturbed; datasets that count otherwise.
 * @property {string[]} doubled Jobs with a segment, or an event with a webhook, that is there twice; rows of a dataset or versions
 *   of a model that are not there as often as they were asked for.
 * @property {string[]} remains Jobs that were deleted or have expired, of which something is left.
 * @property {Record<string, number>} deeds What was done to jobs, and how often.
 * @property {number} upgrades Processes that were replaced by those of another build, and back.
 * @property {string[]} unheard Jobs whose end no webhook told.
 * @property {string[]} crashed Processes that ended though nobody had killed them, or not when asked to.
 * @property {string[]} givenUp Messages that became dead letters; nothing here is poison.
 * @property {Record<string, number>} kills By service.
 * @property {import('./outage.mjs').Outage[]} outages
 * @property {number} restarts Processes that were asked to end, and started again.
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
  const { outageSeconds, patienceSeconds = 10, graceSeconds = 30, seed = randomUUID() } = options;
  const { log = () => undefined, progress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), 'adit-chaos-'));
  const hasSpeech = await pullSpeech(join(folder, 'data/models'), log);
  const { kinds, roots } = await chaosMedia(join(folder, 'media'), hasSpeech);
  const receiver = await startReceiver();
  const disks = await withDataFolder(options.disks, join(folder, 'data/decoder'));
  const phases = PHASES.filter((phase) =>
    phase === 'upgrade' ? options.upgrade !== undefined : !FULL.includes(phase) || disks[phase] !== undefined,
  );
  const plan = planned(seed, kinds, phases, options);
  const crashed = [];
  const givenUp = [];
  log(`Seed ${seed}`);
  const own = { source: options.source ?? false, name: 'this build' };
  const stack = await startStack({
    servers: addresses,
    dataDir: join(folder, 'data'),
    ...own,
    isBrief: options.isBrief ?? false,
    counts: options.counts ?? { decoder: 2, 'inference-face': 2, aggregator: 2, 'inference-landmark': 0 },
    environment: chaosEnvironment(roots, options.environment),
    onLine: (name, line) => {
      if (/^ended \((?!SIGKILL)/.test(line)) crashed.push(`${name} ${line}`);
      if (line.includes('became a dead letter')) givenUp.push(`${name} ${line}`);
      options.onLine?.(name, line);
    },
  });
  const began = performance.now();
  try {
    await stack.ready();
    await forgetObservations(addresses.DATABASE_URL);
    const client = new ChaosClient(stack.url, KEY);
    const undisturbed = await reference(client, kinds);
    // In a workspace of its own: jobs that name no model are matched with all that their workspace has.
    const { key } = await client.make('/workspaces/', { name: 'people' }, `people-${seed}`);
    const teacher = new ChaosClient(stack.url, key);
    const material = await teachingMaterial(teacher);
    log('Undisturbed results are known; now things break.');

    const ended = [];
    const webhook = { callback: receiver.url, events: ['job.on_started', 'job.on_completed', 'job.on_failed'] };
    const mine = async ({ index, wait, ...job }) => {
      await sleep(wait);
      const deadline = Date.now() + 15 * 60_000;
      ended.push(await mineAndDo(client, { ...job, key: `chaos-${seed}-${index}`, webhook, deadline }));
      progress(ended.length, options.jobs);
    };
    const taught = [];
    const train = async ({ index, wait }) => {
      await sleep(wait);
      const deadline = Date.now() + 15 * 60_000;
      taught.push(await teach(teacher, material, { key: `chaos-${seed}-people-${index}`, deadline }));
      log(`${taught.length} of ${plan.trainings.length} trainings`);
    };
    const mining = [];
    const killed = {};
    const outages = [];
    let restarts = 0;
    let upgrades = 0;
    for (const phase of phases) {
      mining.push(...plan.jobs.filter((job) => job.phase === phase).map(mine));
      mining.push(...plan.trainings.filter((training) => training.phase === phase).map(train));
      const kills = plan.kills.filter((kill) => kill.phase === phase);
      if (phase === 'restart') {
        restarts = await restartAll(stack, crashed, { graceSeconds, log });
        continue;
      }
      if (phase === 'upgrade') {
        for (const build of [options.upgrade, own]) {
          upgrades += await replaceAll(stack, build, { crashed, graceSeconds, log, count: () => ended.length });
        }
        continue;
      }
      const limits = { outageSeconds, patienceSeconds };
      const away = causeOutage(phase, servers[phase] ?? fillable(disks[phase]), [client, teacher], {
        ...limits,
        photo: kinds[0].order,
        log,
      });
      const killing = kills.map((kill) => killProcess(stack, kill, { away, killed, log }));
      outages.push(await away.recovered);
      await Promise.all(killing);
    }
    await Promise.all(mining);
    const there = ended.filter(({ deed, job }) => deed !== 'delete' && job.state !== 'gone');
    await awaitWebhooks(receiver, there);
    const remains = await remainsOf(client, ended, addresses);
    const counted = await tally(
      client,
      receiver,
      ended.filter(({ deed }) => deed === 'nothing' || deed === 'retry'),
      undisturbed,
    );
    const { lost, wrong, doubled } = await faultsOf(taught, material, addresses.DATABASE_URL);
    counted.lost.push(...lost);
    counted.wrong.push(...wrong);
    counted.doubled.push(...doubled);
    // What a request made that was repeated since nobody had answered it.
    for (const { id } of await queryDatabase(addresses.DATABASE_URL, 'SELECT id FROM jobs')) {
      if (!client.accepted.has(id) && !teacher.accepted.has(id))
        counted.doubled.push(`${id}: a job that nobody was told of`);
    }
    return {
      ...counted,
      jobs: ended.length,
      hasSpeech,
      trainings: taught.length,
      deeds: Object.fromEntries(DEEDS.map(({ name }) => [name, ended.filter(({ deed }) => deed === name).length])),
      remains,
      upgrades,
      crashed,
      givenUp,
      kills: killed,
      outages,
      restarts,
      violations: [...client.violations, ...teacher.violations],
      refused: client.refused + teacher.refused,
      messagesLeft: await messagesLeft(addresses.DATABASE_URL),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await stack.stop();
    await receiver.close();
    await disks['full data folder']?.unmount();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Filling is to it what stopping is to a server. */
function fillable(disk) {
  return { stop: () => disk.fill(), start: () => disk.clear() };
}

/** With that of the decoders, which is small from the beginning. */
async function withDataFolder(disks, folder) {
  if (disks === undefined) return {};
  mkdirSync(folder, { recursive: true });
  const disk = await smallDisk(folder, '256m');
  return 'reason' in disk ? disks : { ...disks, 'full data folder': disk };
}

/** Pulls the weights of speech into the folder of models; false where they are not to be had. */
async function pullSpeech(modelsDir, log) {
  try {
    await pullModel({
      name: 'whisper-base',
      modelsDir,
      cacheDir: process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit'),
    });
    return true;
  } catch (error) {
    if (error.code !== 'UNAVAILABLE') throw error;
    log(`Without speech: ${error.message.split('\n', 1)[0]}`);
    return false;
  }
}

/**
 * Settings of all processes.
 *
 * @param {string[]} roots Folders of the media.
 * @param {Record<string, string>} [more]
 */
export function chaosEnvironment(roots, more) {
  return {
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
    ...more,
  };
}

/** What is posted and who is killed in which phase and when, in milliseconds from its beginning. */
function planned(seed, kinds, phases, options) {
  const { jobs, kills, outageSeconds, deeds = DEEDS.map(({ name }) => name) } = options;
  const { trainings = Math.ceil(jobs / 20) } = options;
  const random = seeded(seed);
  // A while beyond the outage, so that recovering is disturbed as well.
  const moment = () => random() * (outageSeconds * 1.3 + 2) * 1000;
  const first = shuffled(kinds, random);
  const done = DEEDS.filter(({ name }) => deeds.includes(name));
  const phaseOf = (index) => phases[index % phases.length];
  // A restart takes seconds and an upgrade a minute or two, however long the outages are.
  const waitIn = { restart: () => random() * 5_000, upgrade: () => random() * 60_000 };
  return {
    jobs: Array.from({ length: jobs }, (_, index) => ({
      index,
      // Every kind, and then more of those with the larger shares.
      kind: first[index] ?? pick(kinds, random),
      // Every deed, too.
      deed: (done[index] ?? pick(done, random)).name,
      after: random() * 8_000,
      phase: phaseOf(index),
      wait: (waitIn[phaseOf(index)] ?? moment)(),
    })),
    // One takes several times as long as a job: it begins with its phase, and meets the next one, too.
    trainings: Array.from({ length: trainings }, (_, index) => ({
      index,
      phase: phaseOf(index),
      wait: random() * 5_000,
    })),
    kills: Array.from({ length: kills }, (_, index) => ({
      phase: SERVERS[index % SERVERS.length],
      wait: moment(),
      which: random(),
    })),
  };
}

/** Kills one process that lives. The gateway has to answer while a server is away, so it is killed afterwards. */
async function killProcess(stack, { wait, which }, { away, killed, log }) {
  await sleep(wait);
  const alive = () => stack.processes.filter(({ pid }) => pid !== null);
  while (alive().length === 0) await sleep(50);
  const victim = alive()[Math.floor(which * alive().length)];
  if (victim.name === 'gateway') await away.back;
  while (victim.pid === null) await sleep(50);
  log(`SIGKILL ${victim.name}`);
  const service = victim.name.replace(/-\d+$/, '');
  killed[service] = (killed[service] ?? 0) + 1;
  victim.kill();
  // Without a database it would not come back, and the next server that goes away may be that.
  if (victim.name === 'gateway') await victim.ready();
}

/** Every kind once, with nothing in its way. */
async function reference(client, kinds) {
  const results = await Promise.all(
    kinds.map(async (kind) => {
      const { id } = await client.submit(kind.order, `reference-${randomUUID()}`);
      const { state } = await client.ended(id, Date.now() + 15 * 60_000);
      if (state !== (kind.fails ? 'failed' : 'completed')) throw new Error(`Undisturbed, ${kind.name} ${state}.`);
      return [kind.name, await client.results(id)];
    }),
  );
  return new Map(results);
}

/** Else the second photo of a kind would cost nothing and meet no trouble. */
export async function forgetObservations(url) {
  await queryDatabase(url, 'UPDATE workspaces SET observation_cache = false');
}

export async function messagesLeft(url) {
  for (const end = Date.now() + 120_000; ; await sleep(250)) {
    const [{ count }] = await queryDatabase(url, 'SELECT count(*)::int AS count FROM outbox');
    if (count === 0 || Date.now() > end) return count;
  }
}

function pick(kinds, random) {
  let at = random() * kinds.reduce((sum, { share }) => sum + share, 0);
  return kinds.find(({ share }) => (at -= share) < 0) ?? kinds[0];
}

function shuffled(items, random) {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Numbers from 0 to 1 that a seed determines. */
function seeded(seed) {
  let count = 0;
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}
