import type { SearchMatch, SearchResult } from '@adit/client';

/** What was found in one source. */
export interface SourceMoments {
  key: string;
  jobId: string;
  sourceIndex: number;
  sourceName: string;
  mediaType: SearchResult['media_type'];
  tag: string;
  /** In order of time. */
  moments: SearchResult[];
}

/** Results by source. The source of the best result comes first; within one, moments are in order of time. */
export function bySource(results: readonly SearchResult[]): SourceMoments[] {
  const groups = new Map<string, SourceMoments>();
  for (const result of results) {
    const key = `${result.job_id} ${result.source_index}`;
    const group = groups.get(key) ?? {
      ...{ key, jobId: result.job_id, sourceIndex: result.source_index, sourceName: result.source_name },
      ...{ mediaType: result.media_type, tag: result.tag, moments: [] },
    };
    groups.set(key, group);
    group.moments.push(result);
  }
  for (const { moments } of groups.values()) moments.sort((a, b) => a.time_start - b.time_start);
  return [...groups.values()];
}

/** Identifies a result within all that are found. */
export function keyOf({ job_id: job, number, transcript }: SearchResult): string {
  return number === null ? `${job} ${transcript?.variant_id} ${transcript?.paragraph_id}` : `${job} ${number}`;
}

/** A text cut where words begin and end that were asked for. */
export function partsOf({ text, words }: Pick<SearchMatch, 'text' | 'words'>): { text: string; isAsked: boolean }[] {
  const parts: { text: string; isAsked: boolean }[] = [];
  let at = 0;
  const add = (to: number, isAsked: boolean): void => {
    if (to > at) parts.push({ text: text.slice(at, to), isAsked });
    at = Math.max(at, to);
  };
  for (const { start, end } of words) {
    add(start, false);
    add(end, true);
  }
  add(text.length, false);
  return parts;
}
