import type { Job } from '@adit/client';

/** What the list keeps of a job: jobs can be thousands, and their results are read where they are shown. */
export interface JobRow {
  id: string;
  /** Its tag, or the name of its first source. */
  name: string;
  /** Number of sources beside the first. */
  more: number;
  state: Job['state'];
  mediaType: Job['media_type'];
  /** From 0 to 1. */
  progress: number;
  /** Milliseconds since 1970. */
  created: number;
  started: number | null;
  /** Seconds. */
  duration: number;
  modules: { id: string; state: Job['state']; progress: number }[];
  /** The first few. */
  errors: string[];
  errorCount: number;
  /** The first few. */
  sources: string[];
}

/** More are shown in the job itself. */
const MAX_ERRORS = 3;

export function rowOf(job: Job): JobRow {
  const [first = ''] = job.source_names;
  const modules = Object.entries(job.modules).map(([id, { state, progress }]) => ({ id, state, progress }));
  return {
    ...{ id: job.id, name: job.tag === '' ? first : job.tag, more: Math.max(0, job.source_count - 1) },
    ...{ state: job.state, mediaType: job.media_type, progress: job.progress, modules },
    ...{ created: Date.parse(job.time_created), duration: job.duration },
    started: job.time_started === null ? null : Date.parse(job.time_started),
    ...{ errors: job.errors.slice(0, MAX_ERRORS), errorCount: job.errors.length },
    sources: job.sources.slice(0, MAX_ERRORS),
  };
}

export function isActive({ state }: Pick<JobRow, 'state'>): boolean {
  return state === 'waiting' || state === 'processing';
}

/** Whether the service has something to run again: it refuses the request otherwise. */
export function mayRetry({ state, modules, errorCount }: Pick<JobRow, 'state' | 'modules' | 'errorCount'>): boolean {
  if (isActive({ state })) return false;
  return state !== 'completed' || errorCount > 0 || modules.some((each) => each.state !== 'completed');
}

/** Seconds until the end at the pace so far; null while there is too little to go by, and of live streams. */
export function secondsLeft(row: JobRow, now: number): number | null {
  if (row.state !== 'processing' || row.started === null || row.mediaType === 'videostream') return null;
  const elapsed = (now - row.started) / 1000;
  if (row.progress < 0.03 || elapsed < 3) return null;
  return (elapsed * (1 - row.progress)) / row.progress;
}

export interface JobFilter {
  state?: JobRow['state'];
  mediaType?: JobRow['mediaType'];
  search?: string;
}

/** Whether a row belongs to the list; of a search the service alone knows. */
export function isListed(row: JobRow, { state, mediaType }: JobFilter): boolean {
  return (state === undefined || row.state === state) && (mediaType === undefined || row.mediaType === mediaType);
}

/** Newest first; of the same moment the larger id, as the service orders them. */
function isBefore(a: JobRow, b: JobRow): boolean {
  return a.created > b.created || (a.created === b.created && a.id > b.id);
}

/**
 * The list with its beginning read again: what is no longer there goes, what is new comes.
 *
 * @param isWhole whether `newest` is all that there is
 */
export function withNewest(rows: readonly JobRow[], newest: readonly JobRow[], isWhole: boolean): JobRow[] {
  const last = newest.at(-1);
  if (isWhole || last === undefined) return [...newest];
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...rows.filter((row) => isBefore(last, row) && !ids.has(row.id))];
}

/**
 * The list after one job has changed: it takes its place, leaves, or comes in. One that lies behind what was read so far is
 * left for its page.
 */
export function withRow(
  rows: readonly JobRow[],
  row: JobRow,
  { filter, isWhole }: { filter: JobFilter; isWhole: boolean },
): JobRow[] {
  const at = rows.findIndex(({ id }) => id === row.id);
  if (at >= 0) return [...rows.slice(0, at), ...(isListed(row, filter) ? [row] : []), ...rows.slice(at + 1)];
  if (!isListed(row, filter) || (filter.search ?? '') !== '') return [...rows];
  const place = rows.findIndex((other) => isBefore(row, other));
  if (place >= 0) return [...rows.slice(0, place), row, ...rows.slice(place)];
  return isWhole ? [...rows, row] : [...rows];
}
