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

/** Columns of a job that are presented. */
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
  | 'recorded'
  | 'rotateSeconds'
  | 'previousPart'
  | 'nextPart'
  | 'conform'
  | 'program'
> & {
  /** All sources, or the first of them; likewise the summary, which has an entry for each. */
  sources: string[];
  /** Names of the sources, as stored. */
  names: (string | null)[] | null;
  /** Number of all sources. */
  sourceCount: number;
  summary: StoredSummary[];
};
export type ShownModule = Pick<JobModuleEntity, 'position' | 'postedAs' | 'args' | 'state' | 'progress'> & {
  /**
   * Analysed share that is not part of `progress` yet, in the same measure; left out to present `progress` as it is.
   */
  ahead?: number;
};

/** Presents a summary in the API, without internal references to identities. */
function shownSummary(summary: readonly StoredSummary[], names: ReadonlyMap<string, string>): ResultSummary[] {
  return summary.map(({ source, items, ...part }) => ({
    source,
    source_name: names.get(source) ?? nameOfSource(source, null),
    ...part,
    items: items.map(({ type, label, module }) => ({ type, label, module })),
  }));
}

/**
 * Presents a job in the API.
 *
 * @param baseUrl what absolute links start with, without a slash at the end.
 */
export function presentJob(job: ShownJob, modules: ShownModule[], baseUrl: string): Job {
  const live = progressOf(job, modules);
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
    ...(job.program !== null && { program: job.program }),
    batch: job.batchId,
    result: {
      detailed_link: `${baseUrl}/api/v1/jobs/${job.id}/detailed-results/`,
      summary: shownSummary(job.summary, namesOf),
    },
    ...(job.mediaType === 'videostream' && { gaps: `${baseUrl}/api/v1/jobs/${job.id}/gaps/` }),
    ...(job.mediaType === 'videostream' &&
      job.recorded && { recording: `${baseUrl}/api/v1/jobs/${job.id}/recording/` }),
    ...(job.mediaType === 'videostream' && {
      rotate_seconds: job.rotateSeconds,
      previous_part: job.previousPart,
      next_part: job.nextPart,
    }),
    ...job.conform,
    webhook: job.webhook,
  };
}

/** Progress of a job and its modules: none while a live stream goes on, whose end nobody knows. */
function progressOf(job: ShownJob, modules: ShownModule[]): { progress: number; modules: ShownModule[] } {
  if (job.mediaType !== 'videostream' || isTerminal(job.state)) return liveProgress(job.progress, modules);
  return { progress: 0, modules: modules.map((module) => ({ ...module, progress: 0 })) };
}

/** Presents a transcript's job: without its webhook, since tokens of access keys read transcripts too. */
export function presentTranscriptJob(job: ShownJob & { modules: ShownModule[] }, baseUrl: string): Transcript['job'] {
  return { ...presentJob(job, job.modules, baseUrl), webhook: null, is_synced_to_kg: false };
}
