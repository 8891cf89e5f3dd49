import type { Usage } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { UsageFilter } from '../model/usage-filter.js';
import { saveAs } from './download.js';
import type { Session } from './session.js';

/** What analyses took in some days. */
export class UsageFigures extends Observable {
  /** Sums of each day. */
  days: Usage | null = null;
  /** Sums by what was asked for. */
  rows: Usage['rows'] = [];
  loading = false;
  fault: unknown = null;
  private opened = 0;

  constructor(readonly session: Session) {
    super();
  }

  async read({ from, to, by }: UsageFilter): Promise<void> {
    const opened = (this.opened += 1);
    Object.assign(this, { loading: true, fault: null });
    this.changed();
    const { client } = this.session;
    const range = rangeOf({ from, to });
    try {
      const days = await client.request('GET /v1/usage/', { query: { ...range, group_by: 'day' } });
      const grouped =
        by === 'day' ? days : await client.request('GET /v1/usage/', { query: { ...range, group_by: by } });
      if (opened !== this.opened) return;
      Object.assign(this, { days, rows: grouped.rows, loading: false });
    } catch (error) {
      this.session.notice(error);
      if (opened !== this.opened) return;
      Object.assign(this, { days: null, rows: [], fault: error, loading: false });
    }
    this.changed();
  }

  /** All of it, by day, module and key. */
  async saveCsv({ from, to }: UsageFilter): Promise<void> {
    const query = { ...rangeOf({ from, to }), group_by: 'day,module,key', format: 'csv' } as const;
    const reply = await this.session.client.raw('GET /v1/usage/', { query });
    const { days } = this;
    await saveAs(reply, days === null ? 'usage.csv' : `usage-${days.from}-${days.to}.csv`);
  }
}

function rangeOf({ from, to }: Pick<UsageFilter, 'from' | 'to'>): { from?: string; to?: string } {
  return { ...(from !== '' && { from }), ...(to !== '' && { to }) };
}
