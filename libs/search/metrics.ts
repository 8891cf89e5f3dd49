import { counter, histogram } from '@adit/runtime';

export const questionSeconds = histogram(
  'adit_search_seconds',
  'Time that the index took to answer a question, by what was asked of it: a page, a count or facets',
  ['ask'],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
);

export const indexLag = histogram(
  'adit_search_index_lag_seconds',
  'Time from the oldest change of a job’s results to when all of them could be found',
  [],
  [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600],
);

export const documentsWritten = counter('adit_search_documents_total', 'Documents written to the search index', []);

export const searchAlerts = counter(
  'adit_search_matches_total',
  'Results that workspaces were told of by saved searches',
  [],
);

export const searchesGivenUp = counter(
  'adit_search_given_up_total',
  'Times that a saved search took too long, so that its workspace was not told of what it finds among some results',
  [],
);

export const unreadableSegments = counter(
  'adit_search_unreadable_total',
  'Segments that cannot be found because their module cannot read them, by module',
  ['module'],
);
