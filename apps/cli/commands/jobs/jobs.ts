import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { AditClient, Job } from '@adit/client';
import { AditError, isTerminal } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson, until } from '../../engine/engine-work.js';
import { EXIT_FAILED } from '../../output/exit-codes.js';
import { printable, textTable } from '../../output/text-table.js';

export interface JobOptions extends EngineOptions {
  json?: boolean;
}

interface JobFilter {
  state?: Job['state'];
  /** Seconds. */
  olderThan?: number;
  search?: string;
}

export type JobListOptions = JobOptions & JobFilter & { limit: number };
export type JobDeleteOptions = JobOptions & JobFilter & { dryRun?: boolean; yes?: boolean };

export function listJobs(options: JobListOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const found: Job[] = [];
    for await (const job of client.jobs.list(filterOf(options))) {
      found.push(job);
      if (found.length === options.limit) break;
    }
    if (options.json) return printJson(found);
    process.stdout.write(found.length === 0 ? 'There is none.\n' : `${table(found)}\n`);
  });
}

export function showJob(id: string, options: JobOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const job = await client.jobs.get(id);
    if (options.json) return printJson(job);
    process.stdout.write(`${described(job)}\n`);
  });
}

export function watchJob(id: string, options: JobOptions): Promise<void> {
  return onEngine(options, async ({ client, progress, signal }) => {
    const readJob = async (): Promise<Job> => {
      const job = await client.jobs.get(id);
      for (const [module, { progress: share, state }] of Object.entries(job.modules)) {
        progress.show(module.replaceAll('_', ' '), share, state);
      }
      return job;
    };
    const job = await until(readJob, ({ state }) => isTerminal(state), { signal });
    progress.stop();
    if (options.json) printJson(job);
    else process.stdout.write(`${described(job)}\n`);
    if (job.state === 'failed') process.exitCode = EXIT_FAILED;
  });
}

export function retryJobs(ids: string[], options: JobOptions): Promise<void> {
  return change(ids, options, (client, id) => client.jobs.retry(id));
}

export function stopJobs(ids: string[], options: JobOptions): Promise<void> {
  return change(ids, options, (client, id) => client.jobs.stop(id));
}

/** Throws VALIDATION unless it is said which: by their ids, or by how old they are. */
export function deleteJobs(ids: string[], options: JobDeleteOptions): Promise<void> {
  const { olderThan, state, dryRun = false } = options;
  if (ids.length > 0 === (olderThan !== undefined)) {
    throw new AditError('VALIDATION', 'Say which jobs: by their ids, or by --older-than.');
  }
  if (ids.length > 0 && state !== undefined) {
    throw new AditError('VALIDATION', '--state goes with --older-than; jobs that are named need none.');
  }
  // The age limit counts from now: jobs that grow older during the question are kept.
  const filter = filterOf(options);
  return onEngine(options, async ({ client, signal }) => {
    const found: Job[] = [];
    // Each named job has to exist.
    if (dryRun || ids.length > 0) {
      for await (const job of ids.length > 0 ? named(client, ids) : client.jobs.list(filter)) {
        // By age alone nobody means what is still at work.
        if (ids.length > 0 || isTerminal(job.state)) found.push(job);
      }
    }
    if (!dryRun && ids.length === 0 && !(await isMeant(client, { ...options, filter, signal }))) {
      if (options.json) return printJson([]);
      process.stdout.write('Nothing was deleted.\n');
      return;
    }
    const gone = dryRun
      ? found.map(({ id }) => id)
      : await deleted(client, found, { filter: ids.length > 0 ? null : filter, signal });
    if (options.json) return printJson(gone);
    const jobs = `${gone.length} ${gone.length === 1 ? 'job' : 'jobs'}`;
    if (found.length > 0 && dryRun) process.stdout.write(`${table(found)}\n`);
    process.stdout.write(dryRun ? `${jobs} would be deleted.\n` : `${jobs} deleted.\n`);
  });
}

/**
 * Somebody at a terminal is asked before jobs go that nobody named, wherever the output goes; a script has said what it wants.
 * Without an answer nothing is deleted.
 */
async function isMeant(
  client: AditClient,
  { yes = false, filter, signal }: JobDeleteOptions & { filter: Filter; signal: AbortSignal },
): Promise<boolean> {
  if (yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  let count = 0;
  for await (const { state } of client.jobs.list(filter)) if (isTerminal(state)) count += 1;
  if (count === 0) return true;
  const jobs = count === 1 ? '1 job' : `${count} jobs`;
  return /^y(es)?$/i.test(await answerTo(`Delete ${jobs} with all that they found, for good? [y/N] `, signal));
}

/** Empty for Ctrl-D. Throws what the signal says for Ctrl-C. */
async function answerTo(question: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Otherwise it would end the question only.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = once(terminal, 'close').then(() => '');
  const answer = await Promise.race([terminal.question(question, { signal }), closed]).catch(() => '');
  terminal.close();
  signal.throwIfAborted();
  if (answer === '') process.stderr.write('\n');
  return answer.trim();
}

/** The jobs that were found, or, with a filter, those that it finds. */
async function deleted(
  client: AditClient,
  found: readonly Job[],
  { filter, signal }: { filter: Filter | null; signal: AbortSignal },
): Promise<string[]> {
  if (filter !== null) return client.jobs.deleteAll(filter, { signal });
  for (const { id } of found) {
    signal.throwIfAborted();
    await client.jobs.delete(id);
  }
  return found.map(({ id }) => id);
}

function change(
  ids: string[],
  options: JobOptions,
  does: (client: AditClient, id: string) => Promise<Job>,
): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const changed: Job[] = [];
    for (const id of ids) changed.push(await does(client, id));
    if (options.json) return printJson(changed);
    process.stdout.write(`${table(changed)}\n`);
  });
}

type Filter = ReturnType<typeof filterOf>;

function filterOf({ state, olderThan, search }: JobFilter) {
  const to = olderThan === undefined ? undefined : new Date(Date.now() - olderThan * 1_000).toISOString();
  return {
    ...(state !== undefined && { state }),
    ...(search !== undefined && { search }),
    ...(to !== undefined && { time_created_to: to }),
  };
}

async function* named(client: AditClient, ids: readonly string[]): AsyncGenerator<Job> {
  for (const id of ids) yield await client.jobs.get(id);
}

function table(jobs: readonly Job[]): string {
  const rows = jobs.map((job) => [job.id, job.state, percent(job.progress), made(job), printable(nameOf(job))]);
  return textTable(['Id', 'State', 'Done', 'Made (UTC)', 'Of'], rows, ['left', 'left', 'right', 'left', 'left']);
}

function described(job: Job): string {
  const modules = Object.entries(job.modules).map(
    ([id, { state, progress }]) => `${id}: ${state}, ${percent(progress)}`,
  );
  return [
    `Job ${job.id}: ${job.state}, ${percent(job.progress)}, made ${made(job)} UTC`,
    ...(job.tag === '' ? [] : [`Tag ${printable(job.tag)}`]),
    `Of ${printable(namesOf(job))}`,
    ...[job.time_started, job.time_completed].flatMap((time, at) =>
      time === null ? [] : [`${at === 0 ? 'Began' : 'Ended'} ${shownTime(time)} UTC`],
    ),
    ...modules,
    ...job.errors.map((error) => `✗ ${printable(error)}`),
  ].join('\n');
}

/** The first few, which a job shows of many. */
function namesOf({ source_names: names, source_count: count }: Job): string {
  const more = count - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || '…';
}

function nameOf({ source_names: [first = '…'], source_count: count }: Job): string {
  return count > 1 ? `${first} and ${count - 1} more` : first;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function made({ time_created: time }: Job): string {
  return shownTime(time);
}

/** To the minute. */
function shownTime(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
