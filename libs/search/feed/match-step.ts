import { AditError, isoTime, SearchQuestion, type SearchAlert } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import type { ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { readUnmatched } from './feed.js';
import { documentsOfSegments, jobToIndex, type JobToIndex } from './job-documents.js';
import { searchesGivenUp } from '../metrics.js';
import type { MatchedDocument, Question, SearchDocument, SearchIndex } from '../port.js';
import { questionOf } from '../query/question.js';
import { alertingSearches, type AlertingSearch } from '../saved/saved-searches.js';

const log = createLogger('search');
/** Segments that are matched at once, */
const SEGMENTS_PER_STEP = 200;
/** and matches that one event tells of. */
const MATCHES_PER_EVENT = 50;

/** What saved searches find among new segments of a job. */
export interface MatchStep {
  workspaceId: string;
  /** The segments that were looked at; `to` is exclusive. */
  from: number;
  to: number;
  alerts: SearchAlert[];
}

interface AskedSearch {
  search: AlertingSearch;
  question: Question;
}

/**
 * Asks the saved searches of some indexed segments of a job that they were not asked of yet; null when there are none.
 * It changes nothing: the caller raises the alerts in the transaction that notes the segments as matched.
 */
export async function matchStep(
  db: DataSource,
  { index, modules }: { index: SearchIndex; modules: ModuleRegistry },
  jobId: string,
): Promise<MatchStep | null> {
  const feed = await readUnmatched(db.manager, jobId);
  const job = feed === null ? null : await jobToIndex(db.manager, jobId, feed.round);
  if (feed === null || job === null) return null;
  const { workspaceId } = job;
  const { matchedSeq: from, nextSeq } = feed;
  const searches = askedSearches(workspaceId, await alertingSearches(db.manager, workspaceId), modules);
  if (searches.length === 0) return { workspaceId, from, to: nextSeq, alerts: [] };
  const limit = Math.min(SEGMENTS_PER_STEP, nextSeq - from);
  // Speech is told of as it is recognised, whether or not somebody has made a transcript of it since.
  const read = await documentsOfSegments(db.manager, modules, job, { from, limit, withTranscribed: true });
  const documents = read.documents.filter(({ key }) => key.seq !== null && key.seq < nextSeq);
  const to = read.over ? nextSeq : Math.min(nextSeq, read.to);
  const questions = searches.map(({ question }) => question);
  const { languages } = feed;
  const { found, tooLong } = await inTransaction(db, (manager) =>
    index.match(manager, job, { documents, questions, languages }),
  );
  if (tooLong.length > 0) {
    const ids = tooLong.flatMap((at) => searches[at]?.search.id ?? []);
    log.warn({ jobId, from, to, searches: ids }, 'saved searches took too long: nobody is told of what they find here');
    searchesGivenUp.inc(ids.length);
  }
  const alerts = alertsOf(found, { job, documents, searches, modules });
  return { workspaceId, from, to, alerts };
}

/** Without those that this build cannot read, such as one that a newer build has saved. */
function askedSearches(
  workspaceId: string,
  searches: readonly AlertingSearch[],
  modules: ModuleRegistry,
): AskedSearch[] {
  return searches.flatMap((search) => {
    try {
      const asked = SearchQuestion.parse(search.question);
      return [{ search, question: alertQuestion(workspaceId, asked, modules) }];
    } catch (error) {
      log.warn({ err: error, search: search.id }, 'the saved search cannot be read: nobody is told of what it finds');
      return [];
    }
  });
}

/**
 * The question of a saved search. Throws VALIDATION with the place of a mistake, and when it asks nothing at all, which would
 * tell of every result.
 */
export function alertQuestion(workspaceId: string, asked: SearchQuestion, modules: ModuleRegistry): Question {
  const question = questionOf(workspaceId, { ...asked, fuzzy: asked.fuzzy ?? false }, { modules, mark: '/' });
  const isAsked = question.query !== null || Object.values(question.filter).some((each) => each !== undefined);
  if (isAsked) return question;
  const message = 'A saved search asks for something: words in q or in a field, or a filter such as module or tag.';
  throw new AditError('VALIDATION', message, { errors: [{ pointer: '/q', code: 'nothing_asked', message }] });
}

interface Around {
  job: JobToIndex;
  documents: readonly SearchDocument[];
  searches: readonly AskedSearch[];
  modules: ModuleRegistry;
}

function alertsOf(found: readonly MatchedDocument[], { job, documents, searches, modules }: Around): SearchAlert[] {
  const alerts: SearchAlert[] = [];
  for (const [at, { search }] of searches.entries()) {
    const matches = found.flatMap(({ question, document, isExact }) => {
      const match = documents[document];
      return question === at && match !== undefined ? [presentMatch(job, match, { isExact, modules })] : [];
    });
    for (let from = 0; from < matches.length; from += MATCHES_PER_EVENT) {
      const some = matches.slice(from, from + MATCHES_PER_EVENT);
      alerts.push({ search: { id: search.id, name: search.name }, job_id: job.id, matches: some });
    }
  }
  return alerts;
}

function presentMatch(
  { zeroAt }: JobToIndex,
  { key, moduleId, type, sourceIndex, timeStart, timeEnd, moment }: SearchDocument,
  { isExact, modules }: { isExact: boolean; modules: ModuleRegistry },
): SearchAlert['matches'][number] {
  return {
    number: key.seq ?? 0,
    module: modules.find(moduleId)?.resultName ?? moduleId,
    type,
    source_index: sourceIndex,
    time_start: timeStart,
    time_end: timeEnd,
    ...(zeroAt.has(sourceIndex) && { time_of_day: isoTime(moment) }),
    exact: isExact,
  };
}
