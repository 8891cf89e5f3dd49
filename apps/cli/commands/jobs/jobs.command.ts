import { Command, InvalidArgumentError, Option } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import { EDIT_FORMATS } from '../edit-formats.js';
import type { JobClipOptions } from './job-clip.js';
import type { JobClipsOptions } from './job-clips.js';
import type { JobExportOptions } from './job-export.js';
import type { JobDeleteOptions, JobListOptions, JobOptions } from './jobs.js';

const FORMATS = [...new Set(['xlsx', 'csv', 'json', 'zip', ...EDIT_FORMATS])];
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
    .option('--refine', 'look for the first and the last frame of each, between the frames that were sampled')
    .addHelpText(
      'after',
      '\nExamples:\n  adit jobs export 0f7c4a54-… --format edl --label "Anna Weber" --handles 12\n  adit jobs export 0f7c4a54-… -o found.xlsx',
    )
    .action(async (job: string, options: JobExportOptions) =>
      (await import('./job-export.js')).exportJob(job, options),
    );
  one('clip', 'Write a segment of a film or recording to a file: an MP4, or an M4A of sound.')
    .argument('<job>', 'id of the job')
    .argument('<segment>', 'number of the segment in its results, from 0', whole)
    .option('-o, --out <file>', 'where it goes (default: the clip’s own name in this folder)')
    .option('--exact', 'encode it anew to begin and end at the very frames, not at the keyframe before')
    .option('--handles <seconds>', 'seconds more at both ends, whole or half ones', seconds)
    .addHelpText(
      'after',
      '\nExamples:\n  adit jobs clip 0f7c4a54-… 3 --handles 2\n  adit jobs clip 0f7c4a54-… 3 --exact -o anna.mp4',
    )
    .action(async (job: string, segment: number, options: JobClipOptions) =>
      (await import('./job-clip.js')).clipJob(job, segment, options),
    );
  one('clips', 'Write many segments of films and recordings to one zip, with a list of them: up to 500.')
    .argument('<job>', 'id of the job')
    .option('-o, --out <file>', 'where it goes (default: the export’s own name in this folder)')
    .option('--exact', 'encode them anew to begin and end at the very frames, not at the keyframe before')
    .option('--handles <seconds>', 'seconds more at both ends, whole or half ones', seconds)
    .option('--modules <ids>', 'only what these found, with commas between', (text) => text.split(','))
    .option('--label <text>', 'only what is called so, or was said; may be repeated', more)
    .option('--source <index>', 'only of this source of the job, from 0', whole)
    .addHelpText('after', '\nExamples:\n  adit jobs clips 0f7c4a54-… --label "Anna Weber" --handles 2 -o anna.zip')
    .action(async (job: string, options: JobClipsOptions) => (await import('./job-clips.js')).clipsOfJob(job, options));
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

/** A hundred years: longer than anything was made ago, and a time that the engine can read. */
const MAX_AGE_DAYS = 36_500;

/** Seconds. */
export function ageOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(number) * (SECONDS[unit] ?? NaN);
  if (!(seconds > 0)) throw new InvalidArgumentError('Write it as 90m, 12h, 30d or 4w.');
  if (seconds > MAX_AGE_DAYS * 86_400) throw new InvalidArgumentError(`At most ${MAX_AGE_DAYS}d.`);
  return seconds;
}

function more(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function whole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 0.');
  return Number(text);
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('Give a number from 0.');
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Give a whole number from 1.');
  return value;
}
