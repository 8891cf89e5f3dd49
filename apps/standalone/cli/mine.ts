import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Job } from '@adit/contracts';
import { ApiClient } from './api-client.js';
import { commandLineKey } from './command-line-key.js';
import { mineJob } from './mine-job.js';
import { nameOf, planSources, type SourceGroup } from './mine-sources.js';
import { NOTHING_FOUND, resultsTable } from './results-table.js';
import { sampleFilm } from './sample-film.js';
import { cliSettings } from './settings.js';
import { sumsTable } from './sums-table.js';
import { untilInterrupted } from './interrupt.js';
import { startEngine } from '../engine.js';

export interface MineOptions {
  modules: string[];
  model?: string;
  out?: string;
  json?: boolean;
  maxDistance?: number;
  clusterUnknowns: boolean;
  dataDir?: string;
}

/** Mines what is given and shows and stores what was found; sets the exit code. */
export async function mine(given: string[], options: MineOptions): Promise<void> {
  const quiet = options.json === true;
  const { groups, localRoots } = await planSources(given.length > 0 ? given : [sampleFilm()]);
  const { dataDir } = cliSettings(options.dataDir);
  const scratch = quiet && options.out === undefined ? await mkdtemp(join(tmpdir(), 'adit-mine-')) : null;
  const interrupt = untilInterrupted();
  const apiKey = await commandLineKey(dataDir);
  const live = process.stderr.isTTY && !quiet;
  if (live) process.stderr.write('Starting the engine …');
  const engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots, quiet: true, apiKey }).finally(
    () => live && process.stderr.write('\r\x1b[K'),
  );
  const jsonFiles: string[] = [];
  try {
    const client = new ApiClient(engine.url, apiKey);
    for (const group of groups) {
      if (interrupt.signal.aborted) {
        process.exitCode = 130;
        break;
      }
      const folder = scratch === null ? outFolder(group, groups.length, options.out) : join(scratch, group.kind);
      const order = { sources: group.sources, modules: moduleArguments(options) };
      const { job, files } = await mineJob(client, order, folder, { quiet, signal: interrupt.signal });
      const json = files['results.json'];
      if (json !== undefined) jsonFiles.push(json);
      if (!quiet && job.state === 'completed') {
        const limit = process.stdout.isTTY ? undefined : Infinity;
        const several = group.sources.length > 1;
        const sums = await sumsTable(client.summarizedResults(job.id), several, limit);
        const found = await resultsTable(client.detailedResults(job.id), several, limit);
        const tables = sums === null ? found : found === NOTHING_FOUND ? sums : `${found}\n\n${sums}`;
        process.stdout.write(
          `\n${tables}\n\n${Object.values(files)
            .map((file) => `${file}\n`)
            .join('')}`,
        );
      }
      reportEnd(job);
    }
    if (quiet) await printJson(jsonFiles);
  } finally {
    interrupt.release();
    await engine.close();
    if (scratch !== null) await rm(scratch, { recursive: true, force: true });
  }
}

function outFolder(group: SourceGroup, groups: number, out: string | undefined): string {
  if (out === undefined) return resolve('adit-results', nameOf(group));
  return groups === 1 ? resolve(out) : resolve(out, group.kind);
}

function moduleArguments(options: MineOptions): Record<string, Record<string, unknown>> {
  const common = options.model === undefined ? {} : { model: options.model };
  const face = {
    ...(options.maxDistance === undefined ? {} : { max_distance: options.maxDistance }),
    cluster_unknowns: options.clusterUnknowns,
  };
  return Object.fromEntries(
    options.modules.map((id) => [id, id === 'face_recognition' ? { ...common, ...face } : common]),
  );
}

/** Says what went wrong and sets the exit code. */
function reportEnd(job: Job): void {
  for (const message of job.errors) process.stderr.write(`✗ ${message}\n`);
  if (job.state === 'failed') process.exitCode = 1;
  if (job.state === 'stopped') {
    process.stderr.write('Stopped. What was found so far is kept in the engine’s data folder.\n');
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
