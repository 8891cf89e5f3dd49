import type { Webhook, WebhookAttempt } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

const PAGE = 50;
/** Attempts are in no event. */
const POLL_MS = 2_000;

/** A webhook and its log, the newest attempt first. */
export class WebhookDetail extends Observable {
  webhook: Webhook | null = null;
  attempts: WebhookAttempt[] | null = null;
  total = 0;
  fault: unknown = null;
  private shown = PAGE;

  constructor(
    readonly session: Session,
    readonly webhookId: string,
  ) {
    super();
  }

  follow(signal: AbortSignal): void {
    const read = (): void => void this.read();
    read();
    const timer = setInterval(() => document.hidden || read(), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  async more(): Promise<void> {
    this.shown += PAGE;
    await this.read();
  }

  async read(): Promise<void> {
    const { client } = this.session;
    try {
      const [webhook, log] = await Promise.all([
        client.request('GET /v1/webhooks/{webhookId}/', { params: this.params }),
        client.request('GET /v1/webhooks/{webhookId}/attempts/', { params: this.params, query: { limit: this.shown } }),
      ]);
      Object.assign(this, { webhook, attempts: log.data, total: log.total, fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async test(): Promise<void> {
    await this.session.client.request('POST /v1/webhooks/{webhookId}/test/', { params: this.params });
    await this.read();
  }

  async enable(): Promise<void> {
    await this.session.client.request('PATCH /v1/webhooks/{webhookId}/', {
      ...{ params: this.params, body: { enabled: true } },
    });
    await this.read();
  }

  async replay({ id: attemptId }: WebhookAttempt): Promise<void> {
    await this.session.client.request('POST /v1/webhooks/{webhookId}/attempts/{attemptId}/replay/', {
      params: { ...this.params, attemptId },
    });
    await this.read();
  }

  private get params(): { webhookId: string } {
    return { webhookId: this.webhookId };
  }
}
