import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';
import { SearchQuestion } from './search-question.js';

const question = {
  ...SearchQuestion.shape,
  fuzzy: z
    .boolean()
    .optional()
    .describe('Whether parts of words and misspelt words count; default false, as most of them are none to be told of'),
};
const name = z.string().trim().min(1).max(255).describe('Name, by which events call it');
const alert = z.boolean().describe('Whether new results raise `svc.search.on_match`');

/** POST and PUT /v1/searches/. */
export const SavedSearchRequest = z.strictObject({
  name,
  ...question,
  alert: alert.default(true).describe('Whether new results raise `svc.search.on_match`; default true'),
});
export type SavedSearchRequest = z.infer<typeof SavedSearchRequest>;

export const SavedSearch = z.strictObject({
  id: z.uuid().describe('Id of the saved search'),
  name,
  ...question,
  alert,
  link: z.string().describe('Address of what it finds now, in this API'),
  time_created: IsoTime.describe('When it was saved'),
  time_updated: IsoTime.describe('When it was changed last'),
});
export type SavedSearch = z.infer<typeof SavedSearch>;
export const SavedSearchPage = pageOf(SavedSearch);

/**
 * New results that a saved search finds. An event says where they are: what they are is read from the results, so that
 * nothing of what is erased stays in an event.
 */
export const SearchAlert = z.strictObject({
  search: z
    .strictObject({ id: z.uuid().describe('Id of the saved search'), name: z.string().describe('Its name') })
    .describe('The saved search'),
  job_id: z.uuid().describe('Job that found them'),
  matches: z
    .array(
      z.strictObject({
        number: z.int().nonnegative().describe('Number of the segment in `detailed-results/` of the job, from 0'),
        module: z.string().describe('Module that found it, as results call it'),
        type: z.string().describe('Kind of result, such as `face`'),
        source_index: z.int().nonnegative().describe('Index of the source in its job'),
        time_start: z.number().describe('Seconds from the start of the source; 0 of images'),
        time_end: z.number().describe('Seconds from the start of the source; 0 of images'),
        time_of_day: IsoTime.optional().describe('Wall clock of the start; of live streams alone'),
        exact: z.boolean().describe('False: found by parts of words, or by words like those that were asked for'),
      }),
    )
    .describe('The new results, in the order of their numbers; more of them come in further events'),
});
export type SearchAlert = z.infer<typeof SearchAlert>;

/** What a saved search found in one job at a time: the newest first. */
export const SearchMatches = SearchAlert.omit({ search: true }).extend({
  time_created: IsoTime.describe('When they were found'),
});
export type SearchMatches = z.infer<typeof SearchMatches>;
export const SearchMatchesPage = pageOf(SearchMatches);

const { search: _, ...found } = SearchAlert.shape;
/** An alert as it is kept; a newer build may have said more of it. */
export const KeptSearchAlert = z.object({
  ...found,
  matches: z.array(z.object(found.matches.element.shape)),
});
