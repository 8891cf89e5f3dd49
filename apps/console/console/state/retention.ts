import type { Retention, RetentionRequest, RetentionUpcoming } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

export const KINDS = [
  ...(['observations', 'results', 'artifacts', 'uploads'] as const),
  ...(['recordings', 'audit_lines', 'receipts', 'faces'] as const),
];
export type Kind = (typeof KINDS)[number];

/** How long the workspace keeps what, which tags are held, and what goes next. */
export class RetentionDesk extends Observable {
  retention: Retention | null = null;
  tags: string[] = [];
  upcoming: RetentionUpcoming | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    const { client } = this.session;
    try {
      const [retention, { tags }, upcoming] = await Promise.all([
        client.request('GET /v1/retention/'),
        client.request('GET /v1/retention/holds/'),
        client.request('GET /v1/retention/upcoming/', { query: { within_hours: 24 } }),
      ]);
      Object.assign(this, { retention, tags, upcoming, fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  /** `seconds`: null is as the installation keeps it. The other kinds stay as they are by now, whoever changed them. */
  async change(kind: Kind, seconds: number | null): Promise<void> {
    const { client } = this.session;
    const now = await client.request('GET /v1/retention/');
    const body: RetentionRequest = Object.fromEntries(KINDS.map((each) => [each, now[each]]));
    this.retention = await client.request('PUT /v1/retention/', { body: { ...body, [kind]: seconds } });
    await this.read();
  }

  async hold(tag: string): Promise<void> {
    await this.session.client.request('POST /v1/retention/holds/', { body: { tag } });
    await this.read();
  }

  async lift(heldTag: string): Promise<void> {
    await this.session.client.request('DELETE /v1/retention/holds/{heldTag}/', { params: { heldTag } });
    await this.read();
  }
}
