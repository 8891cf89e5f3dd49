import {
  isoTime,
  isoTimeOrNull,
  isTerminal,
  type Job,
  type ResultSummary,
  type StoredSummary,
  type Transcript,
  zip,
} from '@adit/contracts';
import { type JobEntity, type JobModuleEntity, liveProgress } from '@adit/database';
import { nameOfSource } from './source-name.js';

/** What of a job is shown. */
export type ShownJob = Pick<
  JobEntity,
  | 'id'
  | 'tag'
  | 'state'
  | 'errors'
  | 'progress'
  | 'timeCreated'
  | 'timeStarted'
  | 'timeCompleted'
  | 'mediaType'
  | 'ttl'
  | 'priority'
  | 'batchId'
  | 'webhook'
> & {
  /** All, or the first of them; so the summary, which has an entry for each. */
  sources: string[];
  /** Of the sources, as they are kept. */
  names: (string | null)[] | null;
  /** Of all. */
  sourceCount: number;
  summary: StoredSummary[];
};
export type ShownModule = Pick<JobModuleEntity, 'position' | 'postedAs' | 'args' | 'state' | 'progress'> & {
  /** What is analysed and not part of `progress` yet, in the same measure; left out where `progress` is to be shown as it is. */
  ahead?: number;
};

/** A summary as the interface shows it: what only says whose label it is goes no further. */
function shownSummary(summary: readonly StoredSummary[], names: ReadonlyMap<string, string>): ResultSummary[] {
  return summary.map(({ source, items, ...part }) => ({
    source,
    source_name: names.get(source) ?? nameOfSource(source, null),
    ...part,
    items: items.map(({ type, label, module }) => ({ type, label, module })),
  }));
}

/**
 * A job as the interface shows it.
 *
 * @param baseUrl what absolute links start with, without a slash at the end.
 */
export function presentJob(job: ShownJob, modules: ShownModule[], baseUrl: string): Job {
  const live = liveProgress(job.progress, modules);
  const end = isTerminal(job.state) ? (job.timeCompleted ?? job.timeStarted) : new Date();
  const names = job.sources.map((source, at) => nameOfSource(source, job.names?.[at] ?? null));
  const namesOf = new Map(zip(job.sources, names));
  const milliseconds = job.timeStarted === null || end === null ? 0 : end.getTime() - job.timeStarted.getTime();
  return {
    id: job.id,
    tag: job.tag,
    state: job.state,
    errors: job.errors,
    progress: live.progress,
    duration: Math.max(0, milliseconds / 1000),
    time_created: isoTime(job.timeCreated),
    time_started: isoTimeOrNull(job.timeStarted),
    time_completed: isoTimeOrNull(job.timeCompleted),
    sources: job.sources,
    source_names: names,
    source_count: job.sourceCount,
    link: `${baseUrl}/api/v1/jobs/${job.id}/`,
    modules: Object.fromEntries(
      [...live.modules]
        .sort((a, b) => a.position - b.position)
        .map(({ postedAs, args, state, progress }) => [postedAs, { ...args, state, progress }]),
    ),
    media_type: job.mediaType,
    ttl: job.ttl,
    priority: job.priority,
    batch: job.batchId,
    result: {
      detailed_link: `${baseUrl}/api/v1/jobs/${job.id}/detailed-results/`,
      summary: shownSummary(job.summary, namesOf),
    },
    webhook: job.webhook,
  };
}

/** As a transcript shows the job that it is of: without its webhook, for tokens of access keys read transcripts too. */
export function presentTranscriptJob(job: ShownJob & { modules: ShownModule[] }, baseUrl: string): Transcript['job'] {
  return { ...presentJob(job, job.modules, baseUrl), webhook: null, is_synced_to_kg: false };
}
