import { AditError, boxOf, timeRangeOf, type SearchQuestion, type TimeRange } from '@adit/contracts';
import type { ModuleRegistry } from '@adit/module-kit';
import type { Question } from '../port.js';
import { MAX_TERMS } from './bounds.js';
import type { Mark } from './lexer.js';
import { parseQuery } from './parse.js';
import { allOf, SEARCH_FIELDS, wordCount } from './query.js';

export interface AskedQuestion extends SearchQuestion {
  /** When jobs were made. */
  created?: TimeRange;
}

/**
 * The question that a client asks, where `mark` says where its fields stand. Throws VALIDATION with the place of a mistake.
 */
export function questionOf(
  workspaceId: string,
  asked: AskedQuestion,
  { modules, mark = '?' }: { modules: ModuleRegistry; mark?: Mark },
): Question {
  const fields = SEARCH_FIELDS.flatMap((field) => {
    const words = asked[field];
    return words === undefined ? [] : [parseQuery(words, { parameter: field, field, mark })];
  });
  const { q, module, job_id: jobId, batch_id: batchId, tag, language, when, box } = asked;
  const words = allOf([...(q === undefined ? [] : [parseQuery(q, { parameter: 'q', mark })]), ...fields]);
  if (wordCount(words) > MAX_TERMS) {
    const message = `A question has at most ${MAX_TERMS} words in all.`;
    throw new AditError('VALIDATION', message, { errors: [{ pointer: `${mark}q`, code: 'too_many_terms', message }] });
  }
  const filter = {
    ...{ moduleIds: module === undefined ? undefined : idsOf(module, modules), jobId, batchId, tag },
    language: language?.toLowerCase(),
    created: asked.created,
    moment: when === undefined ? undefined : (timeRangeOf(when) ?? undefined),
    box: box === undefined ? undefined : (boxOf(box) ?? undefined),
  };
  return { workspaceId, query: words, filter, fuzzy: asked.fuzzy ?? true, together: asked.together ?? null };
}

/** Modules by their id or the name of their results; of a module that is not here, its results stay. */
function idsOf(name: string, modules: ModuleRegistry): string[] {
  const found = modules.modules.filter(({ id, resultName, aliases }) => [id, resultName, ...aliases].includes(name));
  return found.length === 0 ? [name] : found.map(({ id }) => id);
}
