import type { ModuleRegistry } from '@adit/module-kit';
import type { EntityManager } from 'typeorm';
import type { SearchIndex } from '../port.js';
import { languageCode, configurationOf } from '../postgres/words.js';
import { endFeed, moveFeed, readFeed, type FeedState } from './feed.js';
import { documentsOfParagraphs, documentsOfSegments, jobToIndex, type JobToIndex } from './job-documents.js';

/** Segments, and paragraphs of transcripts, which are longer, that one step writes. */
const [SEGMENTS_PER_STEP, PARAGRAPHS_PER_STEP] = [200, 50];
/** Documents that one step removes. */
const REMOVED_PER_STEP = 1_000;

export interface IndexStep {
  /** Nothing is left to index of the job. */
  over: boolean;
  /** Segments are indexed that saved searches are to be asked of; it is not over before (`matchStep`). */
  unmatched: boolean;
  /** Documents that it wrote. */
  written: number;
  /** Seconds from the oldest change to its end, when it is over. */
  lag: number;
}

interface Deps {
  index: SearchIndex;
  modules: ModuleRegistry;
}

/** New segments of a job, read before the step that writes them. */
export interface ReadAhead {
  feed: FeedState;
  /** Null: the job is deleted. */
  job: JobToIndex | null;
  segments: Awaited<ReturnType<typeof documentsOfSegments>> | null;
}

/**
 * Reads what the next step of a job writes, without a lock: whoever writes results need not wait for it. Null when the job
 * is no longer to be indexed.
 */
export async function readAhead(
  manager: EntityManager,
  { modules }: Pick<Deps, 'modules'>,
  jobId: string,
): Promise<ReadAhead | null> {
  const feed = await readFeed(manager, jobId);
  if (feed === null) return null;
  const job = await jobToIndex(manager, jobId, feed.round);
  if (job === null) return { feed, job, segments: null };
  const limits = { from: feed.nextSeq, limit: SEGMENTS_PER_STEP };
  return { feed, job, segments: await documentsOfSegments(manager, modules, job, limits) };
}

/**
 * Indexes some of a job in the caller's transaction, which has locked the job's row of the feed: new segments first, then
 * what changed of its transcripts, then what is gone. What is indexed again is replaced, so that it can be found
 * meanwhile. A process that dies between two steps leaves nothing half done.
 *
 * @param ahead what was read before; it is read anew where something was noted since
 */
export async function indexStep(
  manager: EntityManager,
  { index, modules }: Deps,
  jobId: string,
  ahead: ReadAhead | null = null,
): Promise<IndexStep> {
  const now = await readFeed(manager, jobId);
  const isSame = ahead?.feed.changes === now?.changes && ahead?.feed.nextSeq === now?.nextSeq;
  const read = isSame && ahead !== null ? ahead : await readAhead(manager, { modules }, jobId);
  if (read === null || read.job === null || read.segments === null) return ended(0, 0);
  const { job, segments, feed } = read;
  const { to } = segments;
  if (to > feed.nextSeq) {
    await index.replace(manager, job, segments.documents, { from: feed.nextSeq, to });
    const isUnmatched = await moveFeed(manager, jobId, { nextSeq: to, languages: languagesOf(segments.documents) });
    if (isUnmatched || !segments.over) return going(segments.documents.length, isUnmatched);
  }
  const written = segments.documents.length;
  if (!(await index.isComplete(manager, job, to))) {
    // Never after segments in the same transaction: the words of each are locked in an order of their own.
    return going(to > feed.nextSeq ? written : await restStep(manager, index, job, to));
  }
  // Where nothing was written, what was indexed before may still be unmatched.
  if (to === feed.nextSeq && (await moveFeed(manager, jobId, { nextSeq: to, languages: [] }))) return going(0, true);
  return ended(written, await endFeed(manager, jobId));
}

/** Does some of what is left when all segments are indexed; answers how many documents it wrote. */
async function restStep(manager: EntityManager, index: SearchIndex, job: JobToIndex, nextSeq: number): Promise<number> {
  if ((await index.removeSegments(manager, job.id, nextSeq, REMOVED_PER_STEP)) === REMOVED_PER_STEP) return 0;
  const keys = await index.paragraphsToIndex(manager, job, PARAGRAPHS_PER_STEP);
  if (keys.length > 0) {
    const paragraphs = await documentsOfParagraphs(manager, job, keys);
    await index.replace(manager, job, paragraphs);
    await moveFeed(manager, job.id, { nextSeq, languages: languagesOf(paragraphs) });
    return paragraphs.length;
  }
  await index.removeParagraphs(manager, job.id, REMOVED_PER_STEP);
  return 0;
}

function going(written: number, unmatched = false): IndexStep {
  return { over: false, unmatched, written, lag: 0 };
}

function ended(written: number, lag: number): IndexStep {
  return { over: true, unmatched: false, written, lag };
}

function languagesOf(documents: readonly { texts: readonly { language?: string | null }[] }[]): string[] {
  const codes = documents.flatMap(({ texts }) => texts.flatMap(({ language }) => languageCode(language) ?? []));
  return [...new Set(codes)].filter((code) => configurationOf(code) !== null);
}
