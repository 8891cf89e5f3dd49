import { Command, InvalidArgumentError, Option } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { JobExportOptions } from './job-export.js';
import type { JobDeleteOptions, JobListOptions, JobOptions } from './jobs.js';

const FORMATS = [
  'xlsx',
  'csv',
  'json',
  'zip',
  'edl',
  'otio',
  'fcp7xml',
  'fcpxml',
  'avid_markers',
  'resolve_edl',
  'vtt',
];
const STATES = ['waiting', 'processing', 'completed', 'stopped', 'failed'];
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

export function jobsCommand(): Command {
  const jobs = new Command('jobs').description('Jobs of an engine: what was asked of it, and what became of that.');
  const one = (name: string, does: string) =>
    withEngineOptions(jobs.command(name).description(does).option('--json', 'as JSON'));
  const state = () => new Option('--state <state>', 'those in this state').choices(STATES);
  const age = () => new Option('--older-than <age>', 'those made so long ago: 90m, 12h, 30d, 4w').argParser(ageOf);
  one('list', 'Those that there are, newest first.')
    .addOption(state())
    .addOption(age())
    .option('--search <text>', 'part of an id, a tag or the name of a file')
    .option('--limit <number>', 'at most so many', count, 20)
    .addHelpText('after', '\nExamples:\n  adit jobs list --state failed\n  adit jobs list --search evening --json')
    .action(async (options: JobListOptions) => (await import('./jobs.js')).listJobs(options));
  one('show', 'What a job is asked, how far it is and what went wrong.')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: JobOptions) => (await import('./jobs.js')).showJob(job, options));
  one('watch', 'Follow a job to its end; exit code 1 where it failed. Ctrl-C ends the watching, not the job.')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: JobOptions) => (await import('./jobs.js')).watchJob(job, options));
  one('retry', 'Run again what failed or was stopped in jobs.')
    .argument('<jobs...>', 'ids of jobs')
    .action(async (ids: string[], options: JobOptions) => (await import('./jobs.js')).retryJobs(ids, options));
  one('stop', 'End jobs where they stand; what they found so far stays.')
    .argument('<jobs...>', 'ids of jobs')
    .action(async (ids: string[], options: JobOptions) => (await import('./jobs.js')).stopJobs(ids, options));
  one('export', 'Write what a job found to a file: a table, or cuts and markers for an editing program.')
    .argument('<job>', 'id of the job')
    .addOption(new Option('--format <format>', 'what it is written as').choices(FORMATS).default('xlsx'))
    .option('-o, --out <file>', 'where it goes (default: the export’s own name in this folder)')
    .option('--modules <ids>', 'only what these found, with commas between', (text) => text.split(','))
    .option('--label <text>', 'only what is called so, or was said; may be repeated', more)
    .option('--source <index>', 'only of this source of the job, from 0', whole)
    .option('--handles <frames>', 'frames that each cut is longer on both sides', whole)
    .addHelpText(
      'after',
      '\nExamples:\n  adit jobs export 0f7c4a54-… --format edl --label "Anna Weber" --handles 12\n  adit jobs export 0f7c4a54-… -o found.xlsx',
    )
    .action(async (job: string, options: JobExportOptions) =>
      (await import('./job-export.js')).exportJob(job, options),
    );
  one('delete', 'Delete jobs with all that they found, for good.')
    .argument('[jobs...]', 'ids of jobs; or say how old, which takes those that have ended')
    .addOption(age())
    .addOption(state())
    .option('--dry-run', 'only say which it would be')
    .option('--yes', 'do not ask, as a terminal is before jobs of an age are deleted')
    .addHelpText(
      'after',
      '\nExamples:\n  adit jobs delete --older-than 30d --dry-run\n  adit jobs delete --older-than 4w --state failed',
    )
    .action(async (ids: string[], options: JobDeleteOptions) => (await import('./jobs.js')).deleteJobs(ids, options));
  return jobs;
}

/** Seconds. */
export function ageOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(number) * (SECONDS[unit] ?? NaN);
  if (!(seconds > 0)) throw new InvalidArgumentError('Write it as 90m, 12h, 30d or 4w.');
  return seconds;
}

function more(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function whole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 0.');
  return Number(text);
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Give a whole number from 1.');
  return value;
}
