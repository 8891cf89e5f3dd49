import type { Job, SavedSearch, SavedSearchRequest, SearchMatches, Webhook } from '@adit/client';
import { AditApiError } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

/** A workspace has no more. */
const PAGE = 100;
const MATCHES = 20;
const RECONNECT_MS = 5_000;
/** For how long the list waits for the events to be followed. */
const MOST_WAIT_MS = 5_000;
export const MATCH_EVENT = 'svc.search.on_match';

/** New results in one job, and what it is called. */
export interface FoundLately extends SearchMatches {
  job: Job | null;
}

/** The saved searches of the workspace, what each has found lately, and who is told of it. */
export class SavedSearches extends Observable {
  searches: SavedSearch[] | null = null;
  webhooks: Webhook[] = [];
  fault: unknown = null;
  /** Of the search that is opened. */
  opened: string | null = null;
  found: FoundLately[] | null = null;
  /** New results since the page was opened, by search. */
  readonly fresh = new Map<string, number>();
  private readonly jobs = new Map<string, Job | null>();

  constructor(readonly session: Session) {
    super();
  }

  /** Counts new results until the signal, and reads the searches once their events are followed: none falls in between. */
  async follow(signal: AbortSignal): Promise<void> {
    // A proxy may hold events back.
    const late = setTimeout(() => void (this.searches === null && this.read()), MOST_WAIT_MS);
    signal.addEventListener('abort', () => clearTimeout(late), { once: true });
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      let placed = false;
      const onPlace = (): void => {
        if (!placed) void this.read();
        placed = true;
      };
      try {
        for await (const { event, data } of this.session.client.events({ signal, onPlace })) {
          const id = event === MATCH_EVENT ? searchOf(data) : null;
          if (id !== null) await this.note(id, data['matches']);
        }
      } catch (error) {
        if (isOver()) return;
        this.session.notice(error);
        if (this.searches === null) await this.read();
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
  }

  async read(): Promise<void> {
    const { client } = this.session;
    try {
      const [searches, webhooks] = await Promise.all([
        client.request('GET /v1/searches/', { query: { limit: PAGE } }),
        client.request('GET /v1/webhooks/'),
      ]);
      this.searches = searches.data;
      this.webhooks = webhooks.filter(({ event }) => event === MATCH_EVENT);
      this.fault = null;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async save(body: SavedSearchRequest): Promise<void> {
    await this.session.client.request('POST /v1/searches/', { body });
    await this.read();
  }

  async replace({ id, link: _, time_created: __, time_updated: ___, ...before }: SavedSearch, changed: object) {
    await this.session.client.request('PUT /v1/searches/{searchId}/', {
      params: { searchId: id },
      body: { ...before, ...changed },
    });
    await this.read();
  }

  /** Saves one anew that was deleted. */
  saveAgain({ id: _, link: __, time_created: ___, time_updated: ____, ...before }: SavedSearch): Promise<void> {
    return this.save(before);
  }

  async remove(searchId: string): Promise<void> {
    await this.session.client.request('DELETE /v1/searches/{searchId}/', { params: { searchId } });
    await this.read();
  }

  async addWebhook(url: string, secret: string): Promise<void> {
    const body = { event: MATCH_EVENT, url, hmac_secret: secret } as const;
    await this.session.client.request('POST /v1/webhooks/', { body });
    await this.read();
  }

  async removeWebhook(webhookId: string): Promise<void> {
    await this.session.client.request('DELETE /v1/webhooks/{webhookId}/', { params: { webhookId } });
    await this.read();
  }

  /** Shows what a search has found lately; null shows none. */
  async open(searchId: string | null): Promise<void> {
    Object.assign(this, { opened: searchId, found: null });
    this.changed();
    if (searchId !== null) await this.readFound(searchId);
  }

  private async note(id: string, matches: unknown): Promise<void> {
    const count = Array.isArray(matches) ? matches.length : 0;
    this.fresh.set(id, (this.fresh.get(id) ?? 0) + count);
    if (this.opened === id) await this.readFound(id);
    else this.changed();
  }

  private async readFound(searchId: string): Promise<void> {
    try {
      const page = await this.session.client.request('GET /v1/searches/{searchId}/matches/', {
        params: { searchId },
        query: { limit: MATCHES },
      });
      const found = await Promise.all(page.data.map(async (each) => ({ ...each, job: await this.job(each.job_id) })));
      if (this.opened !== searchId) return;
      this.found = found;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  /** Null where it was deleted meanwhile. */
  private async job(jobId: string): Promise<Job | null> {
    const known = this.jobs.get(jobId);
    if (known !== undefined) return known;
    const job = await this.session.client.request('GET /v1/jobs/{jobId}/', { params: { jobId } }).catch((error) => {
      if (error instanceof AditApiError && error.status === 404) return null;
      throw error;
    });
    this.jobs.set(jobId, job);
    return job;
  }
}

function searchOf(data: Record<string, unknown>): string | null {
  const { search } = data;
  return typeof search === 'object' && search !== null && 'id' in search ? String(search.id) : null;
}
