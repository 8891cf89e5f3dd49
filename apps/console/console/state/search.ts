import type { SearchFacets, SearchResult } from '@adit/client';
import { AditApiError } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { keyOf } from '../model/moments.js';
import { mistakeIn, queryOf, type Mistake, type Question } from '../model/question.js';
import type { Session } from './session.js';

const PAGE = 50;
/** Jobs that a question can be narrowed to. */
export const OFFERED_JOBS = 8;

/** The answers to one question, as far as they were read. */
export class Search extends Observable {
  results: SearchResult[] = [];
  /** Counted up to 10,000. */
  total = 0;
  totalIsExact = true;
  facets: SearchFacets | null = null;
  loading = false;
  /** There is more to read. */
  hasMore = false;
  /** Where the question is wrong. */
  mistake: Mistake | null = null;
  fault: unknown = null;
  /** Pixels; the page keeps its place here. */
  scrollTop = 0;
  question: Question | null = null;
  /** Names of the jobs that the facets count first; results say those of theirs. */
  readonly jobNames = new Map<string, string>();
  private cursor: string | null = null;
  /** Number of the newest question: answers to older ones are dropped. */
  private asked = 0;

  constructor(private readonly session: Session) {
    super();
  }

  async ask(question: Question): Promise<void> {
    this.asked += 1;
    this.cursor = '';
    this.scrollTop = 0;
    this.set({ question, mistake: null, fault: null, hasMore: false, loading: false });
    await this.more();
  }

  /** Reads the next page; the first one replaces the answers before. */
  async more(): Promise<void> {
    const { asked, cursor, question } = this;
    if (this.loading || cursor === null || question === null) return;
    this.set({ loading: true, fault: null });
    const isFirst = cursor === '';
    try {
      const page = await this.session.client.request('GET /v1/search/', {
        query: { ...queryOf(question), limit: PAGE, cursor, ...(isFirst && { facets: true }) },
      });
      if (asked !== this.asked) return;
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      const known = new Set(isFirst ? [] : this.results.map(keyOf));
      const fresh = page.data.filter((result) => !known.has(keyOf(result)));
      this.set({
        results: isFirst ? fresh : [...this.results, ...fresh],
        ...{ total: page.total, totalIsExact: page.total_is_exact, hasMore: this.cursor !== null, loading: false },
        ...(isFirst && { facets: page.facets }),
      });
      void this.nameJobs();
    } catch (error) {
      this.fail(error, { asked, isFirst });
    } finally {
      if (asked === this.asked) this.set({ loading: false });
    }
  }

  /** Reads what the jobs that are offered as filters are called; one that is gone meanwhile stays without a name. */
  private async nameJobs(): Promise<void> {
    for (const { job_id: id, source_name: name } of this.results) this.jobNames.set(id, name);
    const offered = this.facets?.job_id.slice(0, OFFERED_JOBS) ?? [];
    const nameless = offered.filter(({ value }) => !this.jobNames.has(value));
    await Promise.all(
      nameless.map(async ({ value: jobId }) => {
        try {
          const job = await this.session.client.request('GET /v1/jobs/{jobId}/', { params: { jobId } });
          this.jobNames.set(jobId, job.source_names[0] ?? jobId);
        } catch (error) {
          this.session.notice(error);
        }
      }),
    );
    if (nameless.length > 0) this.changed();
  }

  private fail(error: unknown, { asked, isFirst }: { asked: number; isFirst: boolean }): void {
    this.session.notice(error);
    if (asked !== this.asked) return;
    const mistake = error instanceof AditApiError ? mistakeIn(error.errors) : null;
    // Answers to the question before are none to this one.
    if (isFirst) this.set({ results: [], total: 0, totalIsExact: true, facets: null });
    this.set(mistake === null ? { fault: error } : { mistake });
  }

  private set(
    state: Partial<
      Pick<
        Search,
        'question' | 'results' | 'total' | 'totalIsExact' | 'facets' | 'loading' | 'hasMore' | 'mistake' | 'fault'
      >
    >,
  ): void {
    Object.assign(this, state);
    this.changed();
  }
}
