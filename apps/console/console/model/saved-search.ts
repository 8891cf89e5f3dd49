import type { SavedSearch } from '@adit/client';
import { questionOf, searchAddress } from './question.js';

const FIELDS = ['who', 'what', 'said', 'written', 'where'] as const;

/** What a saved search finds now, as an address of the search page, which has one field for all words. */
export function addressOfSaved(search: SavedSearch): string {
  const asked = FIELDS.flatMap((field) => {
    const words = search[field] ?? '';
    return words === '' ? [] : [`${field}:(${words})`];
  });
  const q = search.q ?? '';
  const parts = q === '' ? asked : asked.length === 0 ? [q] : [`(${q})`, ...asked];
  const given = new URLSearchParams({
    q: parts.join(' '),
    ...(search.module !== undefined && { module: search.module }),
    ...(search.language !== undefined && { language: search.language }),
    ...(search.tag !== undefined && { tag: search.tag }),
    ...(search.batch_id !== undefined && { batch: search.batch_id }),
    ...(search.job_id !== undefined && { job: search.job_id }),
    ...(search.together !== undefined && { together: String(search.together) }),
  });
  return searchAddress(questionOf(given));
}

/** Whether it also asks for what the page cannot show, so that the page finds more. */
export function isNarrower(search: SavedSearch): boolean {
  return search.when !== undefined || search.box !== undefined;
}
