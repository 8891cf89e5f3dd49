import type { Job } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { isActive, rowOf, withNewest, withRow, type JobFilter, type JobRow } from '../model/job-rows.js';
import { followEvents, type Live } from './follow-events.js';
import type { Session } from './session.js';

const PAGE = 100;
/** Progress is in no event: jobs that run are read again so often. */
const POLL_MS = 2_000;
/** New jobs wait before an event tells of them: the beginning of the list is read every so many polls. */
const NEWEST_EVERY = 2;

/** The jobs of the workspace as far as they were scrolled to, kept up to date. */
export class JobList extends Observable {
  rows: JobRow[] = [];
  total = 0;
  filter: JobFilter = {};
  loading = false;
  /** Everything that matches is in `rows`. */
  isWhole = false;
  fault: unknown = null;
  live: Live = 'connecting';
  /** Pixels; the page keeps its place here. */
  scrollTop = 0;
  private cursor: string | null = '';
  /** Number of the newest filter: what comes of older ones is dropped. */
  private opened = 0;

  constructor(private readonly session: Session) {
    super();
  }

  async open(filter: JobFilter): Promise<void> {
    this.opened += 1;
    Object.assign(this, { filter, rows: [], total: 0, isWhole: false, fault: null, cursor: '', loading: false });
    await this.more();
  }

  /** Reads the next page, unless one is on its way or there is none. */
  async more(): Promise<void> {
    if (this.loading || this.cursor === null) return;
    const opened = this.opened;
    this.set({ loading: true, fault: null });
    try {
      const { rows, total, next } = await this.page(this.cursor);
      if (opened !== this.opened) return;
      const known = new Set(this.rows.map(({ id }) => id));
      this.cursor = next;
      this.set({ rows: [...this.rows, ...rows.filter(({ id }) => !known.has(id))], total, isWhole: next === null });
    } catch (error) {
      this.fail(error, opened);
    } finally {
      if (opened === this.opened) this.set({ loading: false });
    }
  }

  /** Follows the workspace until the signal. */
  follow(signal: AbortSignal): void {
    void this.followEvents(signal);
    let polls = 0;
    const poll = async (): Promise<void> => {
      if (document.hidden || this.loading) return;
      polls += 1;
      await this.refresh(polls % NEWEST_EVERY === 0);
    };
    const timer = setInterval(() => void poll().catch((error: unknown) => this.session.notice(error)), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  async retry({ id }: JobRow): Promise<void> {
    this.put(await this.session.client.jobs.retry(id));
  }

  async stop({ id }: JobRow): Promise<void> {
    this.put(await this.session.client.jobs.stop(id));
  }

  async remove({ id }: JobRow): Promise<void> {
    await this.session.client.jobs.delete(id);
    const rows = this.rows.filter((row) => row.id !== id);
    this.set({ rows, total: this.total - (this.rows.length - rows.length) });
  }

  private put(job: Job): void {
    const rows = withRow(this.rows, rowOf(job), this);
    this.set({ rows, total: this.total + rows.length - this.rows.length });
  }

  /** Reads what runs again, and the beginning of the list. */
  private async refresh(newest: boolean): Promise<void> {
    const opened = this.opened;
    const active = this.rows.filter(isActive);
    if (active.length > 0 && this.filter.state !== 'waiting') {
      const { data } = await this.session.client.request('GET /v1/jobs/', {
        query: { state: 'processing', limit: PAGE },
      });
      if (opened !== this.opened) return;
      const shown = new Set(this.rows.map(({ id }) => id));
      for (const job of data) if (shown.has(job.id)) this.put(job);
    }
    if (!newest) return;
    const { rows, total, next } = await this.page('');
    if (opened !== this.opened) return;
    this.set({ rows: withNewest(this.rows, rows, next === null), total });
  }

  private followEvents(signal: AbortSignal): Promise<void> {
    return followEvents(this.session, signal, {
      onEvent: ({ event, data }) => {
        if (event.startsWith('svc.job.') && isJob(data['job'])) this.put(data['job']);
      },
      onLive: (live) => this.set({ live }),
      onMissed: () => this.refresh(true),
    });
  }

  private async page(cursor: string): Promise<{ rows: JobRow[]; total: number; next: string | null }> {
    const { state, mediaType, search } = this.filter;
    const query = {
      ...{ limit: PAGE, cursor },
      ...(state && { state }),
      ...(mediaType && { media_type: mediaType }),
      ...(search && { search }),
    };
    const { data, total, next } = await this.session.client.request('GET /v1/jobs/', { query });
    return { rows: data.map(rowOf), total, next: next === null ? null : new URL(next).searchParams.get('cursor') };
  }

  private fail(error: unknown, opened: number): void {
    this.session.notice(error);
    if (opened === this.opened) this.set({ fault: error });
  }

  private set(state: Partial<Pick<JobList, 'rows' | 'total' | 'loading' | 'isWhole' | 'fault' | 'live'>>): void {
    Object.assign(this, state);
    this.changed();
  }
}

/** Events of the service hold whole jobs. */
function isJob(value: unknown): value is Job {
  return typeof value === 'object' && value !== null && 'id' in value && 'source_names' in value && 'modules' in value;
}
