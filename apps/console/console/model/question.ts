/** What is searched for, as the fragment of the address says it; empty texts filter nothing. */
export interface Question {
  /** In the service's syntax. */
  q: string;
  module: string;
  language: string;
  tag: string;
  batch: string;
  job: string;
  /** Seconds that parts of the question may be apart; null: they are in one result. */
  together: number | null;
}

export const FILTERS = ['module', 'language', 'tag', 'batch', 'job'] as const;
export type Filter = (typeof FILTERS)[number];

/** Seconds that the page offers; an address may name others. */
export const TOGETHER = [2, 10, 60];
const MAX_TOGETHER = 3_600;

export function questionOf(given: URLSearchParams): Question {
  const text = (name: string): string => given.get(name) ?? '';
  const together = Number(given.get('together') ?? 'none');
  const isTogether = Number.isFinite(together) && together >= 0 && together <= MAX_TOGETHER;
  return {
    ...{ q: text('q'), module: text('module'), language: text('language'), tag: text('tag') },
    ...{ batch: text('batch'), job: text('job'), together: isTogether ? together : null },
  };
}

export function searchAddress({ together, ...texts }: Partial<Question>): string {
  const given = Object.entries(texts).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given);
  if (together !== null && together !== undefined) query.set('together', String(together));
  return query.size === 0 ? '#/search' : `#/search?${query.toString()}`;
}

/** Whether nothing at all is asked for. */
export function isOpen(question: Question): boolean {
  return question.q === '' && FILTERS.every((name) => question[name] === '');
}

/** The question as the service takes it. */
export function queryOf({ q, module, language, tag, batch, job, together }: Question) {
  return {
    ...(q !== '' && { q }),
    ...(module !== '' && { module }),
    ...(language !== '' && { language }),
    ...(tag !== '' && { tag }),
    ...(batch !== '' && { batch_id: batch }),
    ...(job !== '' && { job_id: job }),
    ...(together !== null && { together }),
  };
}

/** A mistake in a question. */
export interface Mistake {
  /** Place in the question, from 0. */
  at: number;
  code: string;
  /** What is wrong, in the service's words. */
  reason: string;
}

/** Where a question is wrong, by what the service says; null for any other error. */
export function mistakeIn(errors: readonly { pointer: string; code: string; message: string }[]): Mistake | null {
  for (const { pointer, code, message } of errors) {
    const [, place, reason] = /^\?q, character (\d+): (.*)$/s.exec(message) ?? [];
    if (pointer === '?q' && place !== undefined && reason !== undefined) return { at: Number(place) - 1, code, reason };
  }
  return null;
}
