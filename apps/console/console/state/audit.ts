import type { AuditEntry } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { auditQueryOf, type AuditFilter } from '../model/audit-filter.js';
import type { Session } from './session.js';

const PAGE = 100;

/** Who changed what, as far as it was read. */
export class AuditTrail extends Observable {
  entries: AuditEntry[] = [];
  total = 0;
  loading = false;
  hasMore = false;
  fault: unknown = null;
  /** Keys and members that may have changed something, by name. */
  actors: { id: string; name: string }[] = [];
  private filter: AuditFilter | null = null;
  private cursor: string | null = null;
  /** Number of the newest list: what comes of older ones is dropped. */
  private opened = 0;

  constructor(readonly session: Session) {
    super();
  }

  async open(filter: AuditFilter): Promise<void> {
    this.opened += 1;
    this.filter = filter;
    this.cursor = '';
    this.set({ entries: [], total: 0, fault: null, hasMore: false, loading: false });
    await this.more();
  }

  async more(): Promise<void> {
    const { opened, cursor, filter } = this;
    if (this.loading || cursor === null || filter === null) return;
    this.set({ loading: true, fault: null });
    try {
      const query = { limit: PAGE, cursor, ...auditQueryOf(filter) };
      const page = await this.session.client.request('GET /v1/audit-log/', { query });
      if (opened !== this.opened) return;
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      const entries = [...this.entries, ...page.data];
      this.set({ entries, total: page.total, hasMore: this.cursor !== null, loading: false });
    } catch (error) {
      this.session.notice(error);
      if (opened === this.opened) this.set({ fault: error, loading: false });
    }
  }

  /** Keys and members of today; those that are gone are found by their lines. */
  async readActors(): Promise<void> {
    const { client } = this.session;
    try {
      const [apiKeys, accessKeys, members] = await Promise.all([
        client.request('GET /v1/api-keys/', { query: { limit: 200 } }),
        client.request('GET /v1/access-keys/'),
        client.request('GET /v1/members/', { query: { limit: 200 } }),
      ]);
      this.actors = [
        ...apiKeys.data.map(({ id, name }) => ({ id, name })),
        ...accessKeys.map(({ key, name }) => ({ id: key, name })),
        ...members.data.map(({ id, name }) => ({ id, name })),
      ];
      this.changed();
    } catch (error) {
      // The list says what is wrong.
      this.session.notice(error);
    }
  }

  private set(state: Partial<Pick<AuditTrail, 'entries' | 'total' | 'loading' | 'hasMore' | 'fault'>>): void {
    Object.assign(this, state);
    this.changed();
  }
}
