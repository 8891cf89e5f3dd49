import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AditApiError, type AditClient, type Job } from '@adit/client';
import { AditError } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { MineEnds } from './mine-ends.js';
import { mineJob, type JobOrder } from './mine-job.js';
import { mineLive } from './mine-live.js';
import { ALL_MODULES, askedModules, modulesTakingKind } from './mine-modules.js';
import { placeOf, type MiningPlace } from '../../engine/mining-place.js';
import { settingsOf, type ModuleSetting } from './module-settings.js';
import { modulesTaking } from './modules-taking.js';
import { nameOf, planSources, type SourceGroup } from './mine-sources.js';
import { NOTHING_FOUND, nothingFound, resultsTable } from '../../output/results-table.js';
import { sampleFilm } from './sample-film.js';
import { summaryTable } from '../../output/summary-table.js';
import { untilInterrupted } from '../../engine/interrupt.js';

export interface MineOptions extends EngineOptions {
  modules: string[];
  model?: string;
  out?: string;
  json?: boolean;
  record?: boolean;
  maxDistance?: number;
  clusterUnknowns: boolean;
  set: ModuleSetting[];
}

/** Mines what is given and shows and stores what was found; sets the exit code. */
export async function mine(given: string[], options: MineOptions): Promise<void> {
  const quiet = options.json === true;
  // Checked before anything is pulled or started, which takes a while.
  if (!options.modules.includes(ALL_MODULES)) settingsOf(options.modules, options.set);
  const { groups, localRoots, leftOut } = await planSources(given.length > 0 ? given : [sampleFilm()]);
  if (options.record === true && groups.some(({ kind }) => kind !== 'streams')) {
    const advice = 'leave out --record, or name an address such as rtsp://camera/live.';
    throw new AditError('VALIDATION', `Only live streams are recorded: ${advice}`);
  }
  const interrupt = untilInterrupted();
  const live = process.stderr.isTTY && !quiet;
  let place: MiningPlace | null = null;
  const scratch = quiet && options.out === undefined ? await mkdtemp(join(tmpdir(), 'adit-mine-')) : null;
  const ends = new MineEnds(leftOut);
  try {
    // Modules are listed by an engine elsewhere; an engine that is still to be started has those of this build.
    if (options.server !== undefined) place = await placeOf({ ...options, localRoots, live });
    const { set, planned } = await planModules(groups, options, place);
    place ??= await placeOf({ ...options, localRoots, live });
    const outOf = (group: SourceGroup) =>
      scratch === null ? outFolder(group, groups.length, options.out) : join(scratch, group.kind);
    const jsonFiles = await mineGroups(planned, { place, set, options, ends, outOf, signal: interrupt.signal });
    if (quiet) await printJson(jsonFiles);
    ends.report();
  } finally {
    interrupt.release();
    await place?.close();
    if (scratch !== null) await rm(scratch, { recursive: true, force: true });
  }
}

/** Chooses the modules of each group of sources, and pulls the models that they need here. */
async function planModules(groups: readonly SourceGroup[], options: MineOptions, place: MiningPlace | null) {
  const offered =
    (await place?.client.request('GET /v1/modules/')) ?? (await (await import('./modules-here.js')).modulesHere());
  const asked = askedModules(options.modules, offered);
  const set = settingsOf(asked, options.set);
  const planned = groups.map((group) => ({ group, ...modulesTakingKind(asked, group.kind, offered) }));
  if (options.server === undefined) {
    const { pullNeeded } = await import('../../engine/needed-models.js');
    await pullNeeded([...new Set(planned.flatMap(({ taking }) => taking))], options.dataDir);
  }
  return { set, planned };
}

type ModulePlan = Awaited<ReturnType<typeof planModules>>;

interface Mining extends Pick<ModulePlan, 'set'> {
  place: MiningPlace;
  options: MineOptions;
  ends: MineEnds;
  outOf: (group: SourceGroup) => string;
  signal: AbortSignal;
}

/** Mines one group after the other, until an interruption. Returns the JSON files of their results. */
async function mineGroups(planned: ModulePlan['planned'], mining: Mining): Promise<string[]> {
  const jsonFiles: string[] = [];
  for (const plan of planned) {
    if (mining.signal.aborted) {
      reportStop(plan.group);
      break;
    }
    for (const note of plan.notes) process.stderr.write(`Note: ${note}\n`);
    if (plan.taking.length === 0) {
      mining.ends.leaveOut(plan.group, 'no module takes it');
      continue;
    }
    const sources = await mining.place.sourcesOf(plan.group.sources, mining.signal).catch((error: unknown) => {
      if (mining.signal.aborted) return null;
      throw error;
    });
    if (sources === null) {
      reportStop(plan.group);
      break;
    }
    const json = await mineGroup(plan, sources, mining);
    if (json !== undefined) jsonFiles.push(json);
  }
  return jsonFiles;
}

async function mineGroup(
  { group, taking }: ModulePlan['planned'][number],
  sources: Awaited<ReturnType<MiningPlace['sourcesOf']>>,
  { place, set, options, ends, outOf, signal }: Mining,
): Promise<string | undefined> {
  const { client } = place;
  const quiet = options.json === true;
  const folder = outOf(group);
  const modules = await moduleArguments(client, { ...options, modules: taking }, set);
  const ended = await minedOf(
    { sources, modules, ...(options.record === true && { record: true }) },
    options.modules.includes(ALL_MODULES),
    (order) =>
      group.kind === 'streams'
        ? mineLive(client, order, folder, { quiet, signal, goesOn: place.isElsewhere })
        : mineJob(client, order, folder, { quiet, signal }),
  );
  if (ended === null) {
    ends.leaveOut(group, 'no module that takes it has a model');
    return undefined;
  }
  const { job, files } = ended;
  if (!quiet && job.state === 'completed') await show(client, group, job, files);
  reportEnd(job, place);
  ends.add(group, sources, job);
  return files['results.json'];
}

/**
 * Mines the job; where all modules were asked, without those that have no model here, since nobody has named them. Null when none
 * is left.
 */
async function minedOf(
  order: JobOrder,
  isAll: boolean,
  mineIt: (order: JobOrder) => ReturnType<typeof mineJob>,
): Promise<Awaited<ReturnType<typeof mineJob>> | null> {
  const modules = { ...order.modules };
  while (Object.keys(modules).length > 0) {
    try {
      return await mineIt({ ...order, modules });
    } catch (error) {
      const lacking = isAll ? moduleLacking(error, Object.keys(modules)) : undefined;
      if (lacking === undefined) throw error;
      process.stderr.write(`Note: ${lacking.id} is not asked: ${lacking.why}\n`);
      delete modules[lacking.id];
    }
  }
  return null;
}

/** The module that was refused for want of a model; undefined for any other error. */
function moduleLacking(error: unknown, modules: readonly string[]): { id: string; why: string } | undefined {
  if (!(error instanceof AditApiError) || error.code !== 'MODEL_NOT_INSTALLED') return undefined;
  const id = modules.find((each) => error.errors.some(({ pointer }) => `${pointer}/`.startsWith(`/modules/${each}/`)));
  return id === undefined ? undefined : { id, why: error.message };
}

async function show(client: AditClient, group: SourceGroup, job: Job, files: Record<string, string>): Promise<void> {
  const limit = process.stdout.isTTY ? undefined : Infinity;
  const several = group.sources.length > 1;
  const summaries = await summaryTable(client.jobs.summarizedResults(job.id), several, limit);
  const shown = { several, paged: job.media_type === 'pdf' };
  const found = await resultsTable(client.jobs.detailedResults(job.id), shown, limit);
  const tables = [found === NOTHING_FOUND ? null : found, summaries].filter((table) => table !== null);
  const text = tables.length === 0 ? nothingFound(job.modules) : tables.join('\n\n');
  const paths = Object.values(files).map((file) => `${file}\n`);
  process.stdout.write(`\n${text}\n\n${paths.join('')}`);
}

function outFolder(group: SourceGroup, groups: number, out: string | undefined): string {
  if (out === undefined) return resolve('adit-results', nameOf(group));
  return groups === 1 ? resolve(out) : resolve(out, group.kind);
}

async function moduleArguments(
  client: AditClient,
  options: MineOptions,
  set: Record<string, Record<string, unknown>>,
): Promise<JobOrder['modules']> {
  const { model, modules, maxDistance } = options;
  const takers = model === undefined ? [] : await modulesTaking(client, model, modules);
  const face = {
    ...(maxDistance === undefined ? {} : { max_distance: maxDistance }),
    cluster_unknowns: options.clusterUnknowns,
  };
  return Object.fromEntries(
    modules.map((id) => [
      id,
      { ...(takers.includes(id) ? { model } : {}), ...(id === 'face_recognition' ? face : {}), ...set[id] },
    ]),
  );
}

/** Reports the sources that an interruption came before. */
function reportStop({ sources }: SourceGroup): void {
  const named = sources.length === 1 ? sources[0] : `${sources.length} sources`;
  process.stderr.write(`Stopped; nothing was mined of ${named}.\n`);
  process.exitCode = 130;
}

/** Says what went wrong and sets the exit code. */
function reportEnd(job: Job, { where }: MiningPlace): void {
  for (const message of job.errors) process.stderr.write(`✗ ${message}\n`);
  if (job.state === 'failed') process.exitCode = 1;
  if (job.state === 'stopped') {
    process.stderr.write(`Stopped. What was found so far is kept as job ${job.id} in ${where}.\n`);
    process.exitCode = 130;
  }
}

/** One job's results as they are, several as an array. */
async function printJson(files: string[]): Promise<void> {
  if (files.length !== 1) process.stdout.write('[');
  for (const [index, file] of files.entries()) {
    if (index > 0) process.stdout.write(',');
    await pipeline(createReadStream(file), process.stdout, { end: false });
  }
  if (files.length !== 1) process.stdout.write(']\n');
}
