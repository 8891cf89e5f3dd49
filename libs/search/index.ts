export { MAX_DEPTH, MAX_TERMS } from './query/bounds.js';
export { parseQuery } from './query/parse.js';
export { questionOf, type AskedQuestion } from './query/question.js';
export { allOf, SEARCH_FIELDS, wantedTerms, type Query, type SearchField, type Term } from './query/query.js';
export { wordsIn, type Word } from './query/words.js';
export { documentsWritten, indexLag, searchAlerts } from './metrics.js';
export * from './port.js';
export { PostgresIndex } from './postgres/postgres-index.js';
export {
  areFacesKept,
  expireFaces,
  keepFaces,
  networkOfFaces,
  type FacePosition,
  type SegmentFace,
} from './postgres/faces.js';
export { sweepWords } from './postgres/vocabulary.js';
export { languageCode } from './postgres/words.js';
export {
  catchUp,
  compareJobs,
  forgetJob,
  forgetNames,
  forgetPeople,
  forgetSegments,
  forgetTexts,
  moveMatched,
  noteNames,
  noteSearchable,
  rebuildSearch,
  renumberSearchable,
  SEARCH_OF_JOB,
  SEARCH_ROWS,
} from './feed/feed.js';
export { indexStep, readAhead, type IndexStep, type ReadAhead } from './feed/index-job.js';
export { alertQuestion, matchStep, type MatchStep } from './feed/match-step.js';
export {
  MAX_SAVED_SEARCHES,
  removeSearch,
  replaceSearch,
  savedSearch,
  savedSearches,
  saveSearch,
  type SavedSearchFields,
} from './saved/saved-searches.js';
export { SEARCH_VERSION } from './version.js';
