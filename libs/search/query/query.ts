/** Fields that can be searched: people, things, speech, writing, places. */
export const SEARCH_FIELDS = ['who', 'what', 'said', 'written', 'where'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

/** A word, or several in a row. */
export interface Term {
  kind: 'term';
  /** Null: any. */
  field: SearchField | null;
  /** In small letters without accents; at least one. */
  folded: string[];
  /** In small letters, as they were asked for. */
  written: string[];
  /** Was in quotation marks: exactly these words, in this order. */
  quoted: boolean;
}

export interface Both {
  kind: 'and' | 'or';
  parts: Query[];
}

export interface Not {
  kind: 'not';
  part: Query;
}

/** A question in words. */
export type Query = Term | Both | Not;

/** The terms that an answer may show: those that are not excluded. */
export function wantedTerms(query: Query | null): Term[] {
  switch (query?.kind) {
    case 'term':
      return [query];
    case 'and':
    case 'or':
      return query.parts.flatMap(wantedTerms);
    default:
      return [];
  }
}

/** Number of words of a question, those that it excludes included: each of them costs. */
export function wordCount(query: Query | null): number {
  switch (query?.kind) {
    case 'term':
      return query.folded.length;
    case 'not':
      return wordCount(query.part);
    case 'and':
    case 'or':
      return query.parts.reduce((sum, part) => sum + wordCount(part), 0);
    default:
      return 0;
  }
}

/** True when the question finds something by itself, rather than all but something. */
export function isPositive(query: Query): boolean {
  switch (query.kind) {
    case 'term':
      return true;
    case 'not':
      return false;
    case 'and':
      return query.parts.some(isPositive);
    case 'or':
      return query.parts.every(isPositive);
  }
}

/** All of the questions at once; null without any. */
export function allOf(queries: readonly Query[]): Query | null {
  const [first] = queries;
  return queries.length > 1 ? { kind: 'and', parts: [...queries] } : (first ?? null);
}
