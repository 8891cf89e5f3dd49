import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AditClient, Job } from '@adit/client';
import type { EngineOptions } from './engine-options.js';
import { mineJob, type JobOrder } from './mine-job.js';
import { placeOf, type MiningPlace } from './mining-place.js';
import { settingsOf, type ModuleSetting } from './module-settings.js';
import { modulesTaking } from './modules-taking.js';
import { nameOf, planSources, type SourceGroup } from './mine-sources.js';
import { NOTHING_FOUND, nothingFound, resultsTable } from './results-table.js';
import { sampleFilm } from './sample-film.js';
import { sumsTable } from './sums-table.js';
import { untilInterrupted } from './interrupt.js';

export interface MineOptions extends EngineOptions {
  modules: string[];
  model?: string;
  out?: string;
  json?: boolean;
  maxDistance?: number;
  clusterUnknowns: boolean;
  set: ModuleSetting[];
}

/** Mines what is given and shows and stores what was found; sets the exit code. */
export async function mine(given: string[], options: MineOptions): Promise<void> {
  const quiet = options.json === true;
  // Before anything is pulled or started, which takes a while.
  const set = settingsOf(options.modules, options.set);
  const { groups, localRoots } = await planSources(given.length > 0 ? given : [sampleFilm()]);
  if (options.server === undefined) {
    const { pullNeeded } = await import('./needed-models.js');
    await pullNeeded(options.modules, options.dataDir);
  }
  const interrupt = untilInterrupted();
  const live = process.stderr.isTTY && !quiet;
  const place = await placeOf({ ...options, localRoots, live }).catch((error: unknown) => {
    interrupt.release();
    throw error;
  });
  const scratch = quiet && options.out === undefined ? await mkdtemp(join(tmpdir(), 'adit-mine-')) : null;
  const jsonFiles: string[] = [];
  try {
    const { client } = place;
    const modules = await moduleArguments(client, options, set);
    for (const group of groups) {
      if (interrupt.signal.aborted) {
        reportStop(group);
        break;
      }
      const folder = scratch === null ? outFolder(group, groups.length, options.out) : join(scratch, group.kind);
      const sources = await place.sourcesOf(group.sources, interrupt.signal).catch((error: unknown) => {
        if (interrupt.signal.aborted) return null;
        throw error;
      });
      if (sources === null) {
        reportStop(group);
        break;
      }
      const { job, files } = await mineJob(client, { sources, modules }, folder, { quiet, signal: interrupt.signal });
      const json = files['results.json'];
      if (json !== undefined) jsonFiles.push(json);
      if (!quiet && job.state === 'completed') {
        const limit = process.stdout.isTTY ? undefined : Infinity;
        const several = group.sources.length > 1;
        const sums = await sumsTable(client.jobs.summarizedResults(job.id), several, limit);
        const shown = { several, paged: job.media_type === 'pdf' };
        const found = await resultsTable(client.jobs.detailedResults(job.id), shown, limit);
        const tables = [found === NOTHING_FOUND ? null : found, sums].filter((table) => table !== null);
        const text = tables.length === 0 ? nothingFound(job.modules) : tables.join('\n\n');
        process.stdout.write(
          `\n${text}\n\n${Object.values(files)
            .map((file) => `${file}\n`)
            .join('')}`,
        );
      }
      reportEnd(job, place);
    }
    if (quiet) await printJson(jsonFiles);
  } finally {
    interrupt.release();
    await place.close();
    if (scratch !== null) await rm(scratch, { recursive: true, force: true });
  }
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

/** Of sources that an interruption came before. */
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
