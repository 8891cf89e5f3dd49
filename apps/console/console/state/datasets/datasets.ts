import type { Dataset, DatasetType } from '@adit/client';
import { Observable } from '../../../shared/observable.js';
import type { Session } from '../session.js';

const PAGE = 100;

/** The datasets of the workspace, as far as they were read. */
export class Datasets extends Observable {
  datasets: Dataset[] | null = null;
  total = 0;
  hasMore = false;
  loading = false;
  fault: unknown = null;
  private cursor: string | null = '';

  constructor(readonly session: Session) {
    super();
  }

  async open(): Promise<void> {
    this.cursor = '';
    this.loading = false;
    await this.more();
  }

  async more(): Promise<void> {
    const { cursor } = this;
    if (this.loading || cursor === null) return;
    this.loading = true;
    this.changed();
    try {
      const page = await this.session.client.request('GET /v1/datasets/', { query: { limit: PAGE, cursor } });
      this.cursor = page.next === null ? null : new URL(page.next).searchParams.get('cursor');
      const before = cursor === '' ? [] : (this.datasets ?? []);
      Object.assign(this, { datasets: [...before, ...page.data], total: page.total, fault: null });
      this.hasMore = this.cursor !== null;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.loading = false;
    this.changed();
  }

  add(values: { name: string; type: DatasetType; description: string }): Promise<Dataset> {
    return this.session.client.request('POST /v1/datasets/', { body: values });
  }
}
