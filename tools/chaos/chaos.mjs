// Runs many jobs while processes are killed, servers go away and everything is restarted, and counts everything afterwards.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pullModel } from '@adit/models';
import { startStack } from '@adit/stack';
import { smallDisk } from '@adit/testing';
import { ChaosClient } from './client.mjs';
import { ACTIONS, mineAndAct, remainsOf } from './client-actions.mjs';
import { disableObservationCache, messagesLeft, unknownJobs } from './database.mjs';
import { chaosEnvironment, KEY } from './environment.mjs';
import { chaosMedia } from './media.mjs';
import { FULL, SERVERS, causeOutage } from './outage.mjs';
import { planRun } from './plan.mjs';
import { startReceiver } from './receiver.mjs';
import { replaceAll, restartAll } from './rolling-restart.mjs';
import { beginStreams, endStreams, startCamera, streamFaults } from './streams.mjs';
import { unfoundOf } from './searches.mjs';
import { awaitWebhooks, tally } from './tally.mjs';
import { usageFaults, watchUsage } from './usage.mjs';
import { faultsOf, train, trainingMaterial } from './training.mjs';

/** Phases in their order; each gets its share of the jobs. */
const PHASES = [...SERVERS, ...FULL, 'restart', 'upgrade'];
const DEADLINE_MS = 15 * 60_000;

/**
 * @typedef {object} ChaosOptions
 * @property {number} jobs
 * @property {number} [trainings] Datasets that are imported and trained meanwhile; one for twenty jobs when left out.
 * @property {number} [streams] Live streams that are mined from the first phase to the last; one for a hundred jobs when left out.
 * @property {{ program: string } | { reason: string }} [mediamtx] Server of live streams; has to be given for these.
 * @property {number} [searches] Jobs whose results are searched for, when they were deleted and at the end; all of them when left out.
 * @property {number} kills SIGKILLs of a random process.
 * @property {number} outageSeconds Duration of each server's outage, one after the other.
 * @property {string} [seed] Determines the plan: jobs, processes and moments.
 * @property {Record<string, number>} [counts] Processes by service.
 * @property {string[]} [actions] Actions of clients on their jobs; all of ACTIONS when left out.
 * @property {Record<string, import('@adit/testing').SmallDisk>} [disks] Disks that can be filled, by the names of FULL except the
 *   data folder; left out, nothing is filled.
 * @property {{ root: string, name: string }} [upgrade] Another build, whose processes take over for a while; left out, all stay of this one.
 * @property {number} [patienceSeconds] Limit of a reply while a server is away.
 * @property {number} [graceSeconds] Limit of a process to end when it is restarted in order.
 * @property {boolean} [source] Run the sources instead of the build.
 * @property {boolean} [isBrief] As `StackOptions.isBrief`.
 * @property {Record<string, string>} [environment] Settings of all processes.
 * @property {(line: string) => void} [log]
 * @property {(done: number, all: number) => void} [progress]
 * @property {(name: string, line: string) => void} [onLine] Gets every line of every process.
 *
 * @typedef {object} ChaosReport
 * @property {number} jobs
 * @property {Record<string, number>} states
 * @property {boolean} hasSpeech True when speech was among the jobs.
 * @property {number} trainings Datasets that were imported and trained, each with a job that names the model.
 * @property {{ count: number, seconds: number, gaps: number, gapSeconds: number }} streams Live streams: what was mined of them and
 *   what is named as a gap, together.
 * @property {string[]} lost Jobs that were accepted and are not there, or have not ended; imports and trainings, too.
 * @property {string[]} wrong Jobs that ended otherwise, or with other results, than undisturbed; datasets that count otherwise.
 * @property {string[]} doubled Jobs with a segment, or an event with a webhook, that is there twice; rows of a dataset or versions
 *   of a model that are not there as often as they were asked for.
 * @property {string[]} remains Jobs that were deleted or have expired, of which something is left.
 * @property {string[]} miscounted Sums of usage that are not what was run.
 * @property {Record<string, number>} usage Seconds that were counted, by kind.
 * @property {Record<string, number>} actions Actions on jobs, with their number.
 * @property {number} upgrades Processes that were replaced by those of another build, and back.
 * @property {string[]} unnotified Jobs whose end no webhook reported.
 * @property {string[]} crashed Processes that ended though nobody had killed them, or not when asked to.
 * @property {string[]} deadLetters Messages that became dead letters; nothing here is poison.
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
  const run = await prepare(servers, addresses, options);
  const began = performance.now();
  try {
    const work = await beginWork(run);
    const disturbances = await disturb(run, work);
    const counted = await count(run, work);
    return {
      ...counted,
      jobs: work.ended.length,
      hasSpeech: run.hasSpeech,
      trainings: work.trained.length,
      streams: { count: work.streams.length, ...counted.streams },
      actions: Object.fromEntries(
        ACTIONS.map(({ name }) => [name, work.ended.filter(({ action }) => action === name).length]),
      ),
      ...disturbances,
      crashed: run.crashed,
      deadLetters: run.deadLetters,
      violations: [...work.client.violations, ...work.trainer.violations],
      refused: work.client.refused + work.trainer.refused,
      messagesLeft: await messagesLeft(addresses.DATABASE_URL),
      ...(await countedUsage(addresses.DATABASE_URL)),
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await run.stack.stop();
    await run.receiver.close();
    await run.camera?.remove();
    await run.disks['full data folder']?.unmount();
    rmSync(run.folder, { recursive: true, force: true });
  }
}

/** Makes the media, the plan, a webhook receiver and the processes under test. */
async function prepare(servers, addresses, options) {
  const { seed = randomUUID(), log = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), 'adit-chaos-'));
  const hasSpeech = await pullSpeech(join(folder, 'data/models'), log);
  const { kinds, roots } = await chaosMedia(join(folder, 'media'), hasSpeech);
  const receiver = await startReceiver();
  const film = kinds.find(({ name }) => name === 'a film').order.sources[0];
  const streams = options.streams ?? Math.ceil(options.jobs / 100);
  const camera = streams === 0 ? null : await startCamera(options.mediamtx, film, log);
  const disks = await withDataFolder(options.disks, join(folder, 'data/decoder'));
  const phases = PHASES.filter((phase) =>
    phase === 'upgrade' ? options.upgrade !== undefined : !FULL.includes(phase) || disks[phase] !== undefined,
  );
  const plan = planRun(seed, kinds, phases, options);
  log(`Seed ${seed}`);
  const crashed = [];
  const deadLetters = [];
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
      if (line.includes('became a dead letter')) deadLetters.push(`${name} ${line}`);
      options.onLine?.(name, line);
    },
  });
  return {
    ...{
      camera,
      streams,
      servers,
      addresses,
      folder,
      hasSpeech,
      kinds,
      receiver,
      disks,
      phases,
      plan,
      seed,
      own,
      stack,
    },
    ...{ crashed, deadLetters, log, progress: options.progress ?? (() => undefined) },
    ...{
      jobs: options.jobs,
      searches: options.searches ?? options.jobs,
      outageSeconds: options.outageSeconds,
      upgrade: options.upgrade,
    },
    ...{ patienceSeconds: options.patienceSeconds ?? 10, graceSeconds: options.graceSeconds ?? 30 },
  };
}

/** Mines every kind of job undisturbed and puts the training material into the storage. */
async function beginWork({ stack, addresses, kinds, camera, streams: count, seed, log }) {
  await stack.ready();
  await disableObservationCache(addresses.DATABASE_URL);
  await watchUsage(addresses.DATABASE_URL);
  const client = new ChaosClient(stack.url, KEY);
  const undisturbed = await reference(client, kinds);
  // Trainings have a workspace of their own: jobs that name no model are matched with all models of their workspace.
  const { key } = await client.make('/workspaces/', { name: 'people' }, `people-${seed}`);
  const trainer = new ChaosClient(stack.url, key);
  const material = await trainingMaterial(trainer);
  const streams = camera === null ? [] : await beginStreams(client, camera.address, { count, seed });
  log('Undisturbed results are known; now things break.');
  return { client, trainer, undisturbed, material, streams, ended: [], trained: [] };
}

/** Runs the phases one after the other while jobs and trainings run. Resolves when these have ended. */
async function disturb(run, work) {
  const { phases, plan, stack, crashed, graceSeconds, log } = run;
  const done = { upgrades: 0, kills: {}, outages: [], restarts: 0 };
  const pending = [];
  for (const phase of phases) {
    pending.push(...plan.jobs.filter((job) => job.phase === phase).map((job) => mine(run, work, job)));
    pending.push(...plan.trainings.filter((each) => each.phase === phase).map((each) => trainOne(run, work, each)));
    if (phase === 'restart') done.restarts = await restartAll(stack, crashed, { graceSeconds, log });
    else if (phase === 'upgrade') done.upgrades = await upgradeAndBack(run, work);
    else done.outages.push(await outageWithKills(run, work, phase, done.kills));
  }
  await Promise.all(pending);
  return done;
}

async function mine({ seed, receiver, progress, jobs, searches }, { client, ended }, { index, wait, ...job }) {
  await sleep(wait);
  const webhook = { callback: receiver.url, events: ['job.on_started', 'job.on_completed', 'job.on_failed'] };
  const deadline = Date.now() + DEADLINE_MS;
  const isSought = index < searches;
  ended.push(await mineAndAct(client, { ...job, isSought, key: `chaos-${seed}-${index}`, webhook, deadline }));
  progress(ended.length, jobs);
}

async function trainOne({ seed, plan, log }, { trainer, material, trained }, { index, wait }) {
  await sleep(wait);
  const deadline = Date.now() + DEADLINE_MS;
  trained.push(await train(trainer, material, { key: `chaos-${seed}-people-${index}`, deadline }));
  log(`${trained.length} of ${plan.trainings.length} trainings`);
}

/** Replaces all processes by those of the other build and back; answers the number of replacements. */
async function upgradeAndBack({ stack, upgrade, own, crashed, graceSeconds, log }, { ended }) {
  let replaced = 0;
  for (const build of [upgrade, own]) {
    replaced += await replaceAll(stack, build, { crashed, graceSeconds, log, count: () => ended.length });
  }
  return replaced;
}

async function outageWithKills(run, { client, trainer }, phase, killed) {
  const { servers, disks, plan, stack, kinds, outageSeconds, patienceSeconds, log } = run;
  const server = servers[phase] ?? fillable(disks[phase]);
  const photo = kinds[0].order;
  const away = causeOutage(phase, server, [client, trainer], { outageSeconds, patienceSeconds, photo, log });
  const kills = plan.kills.filter((kill) => kill.phase === phase);
  const killing = kills.map((kill) => killProcess(stack, kill, { away, killed, log }));
  const outage = await away.recovered;
  await Promise.all(killing);
  return outage;
}

/** Compares jobs and trainings with those that were undisturbed, and looks for remains and duplicates. */
async function count({ addresses, receiver, seed }, work) {
  const { client, trainer, undisturbed, material, ended, trained } = work;
  const stopped = await endStreams(client, work.streams, seed);
  const present = ended.filter(({ action, job }) => action !== 'delete' && job.state !== 'gone');
  await awaitWebhooks(receiver, present);
  const remains = await remainsOf(client, ended, addresses);
  const comparable = ended.filter(({ action }) => action === 'nothing' || action === 'retry');
  const counted = await tally(client, receiver, comparable, undisturbed);
  const { gaps, seconds, gapSeconds, ...streamed } = await streamFaults(client, stopped, addresses.DATABASE_URL);
  for (const { lost, wrong, doubled } of [await faultsOf(trained, material, addresses.DATABASE_URL), streamed]) {
    counted.lost.push(...lost);
    counted.wrong.push(...wrong);
    counted.doubled.push(...doubled);
  }
  const completed = comparable.filter(({ isSought, job }) => isSought && job.state === 'completed');
  counted.lost.push(...(await unfoundOf(client, completed, undisturbed)));
  counted.doubled.push(...(await unknownJobs(addresses.DATABASE_URL, [client, trainer])));
  return { ...counted, remains, streams: { gaps, seconds, gapSeconds } };
}

/** What was counted, once no outcome is left to record. */
async function countedUsage(url) {
  const { faults, seconds } = await usageFaults(url);
  return { miscounted: faults, usage: seconds };
}

/** Presents a disk as a server: filling it is an outage. */
function fillable(disk) {
  return { stop: () => disk.fill(), start: () => disk.clear() };
}

/** Adds the data folder of the decoders, which is on a small disk from the beginning. */
async function withDataFolder(disks, folder) {
  if (disks === undefined) return {};
  mkdirSync(folder, { recursive: true });
  const disk = await smallDisk(folder, '256m');
  return 'reason' in disk ? disks : { ...disks, 'full data folder': disk };
}

/** Pulls the speech weights into the folder of models; false where they are unavailable. */
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

/** Kills one running process. The gateway has to answer while a server is away, so it is killed afterwards. */
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
  // The gateway does not start without a database, which may be the next server that goes away.
  if (victim.name === 'gateway') await victim.ready();
}

/** Mines every kind once, undisturbed; answers the results by kind. */
async function reference(client, kinds) {
  const results = await Promise.all(
    kinds.map(async (kind) => {
      const { id } = await client.submit(kind.order, `reference-${randomUUID()}`);
      const { state } = await client.ended(id, Date.now() + DEADLINE_MS);
      if (state !== (kind.fails ? 'failed' : 'completed'))
        throw new Error(`Undisturbed, ${kind.name} ${state}: mine it with "npm run mine" to see why.`);
      return [kind.name, { id, ...(await client.results(id)) }];
    }),
  );
  return new Map(results);
}
