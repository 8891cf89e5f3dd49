import type { Webhook, WebhookChange, WebhookRequest } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

/** The webhooks of the workspace. */
export class Webhooks extends Observable {
  webhooks: Webhook[] | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    try {
      this.webhooks = await this.session.client.request('GET /v1/webhooks/');
      this.fault = null;
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async add(body: WebhookRequest): Promise<Webhook> {
    const made = await this.session.client.request('POST /v1/webhooks/', { body });
    void this.read();
    return made;
  }

  async change({ id: webhookId }: Webhook, body: WebhookChange): Promise<Webhook> {
    const changed = await this.session.client.request('PATCH /v1/webhooks/{webhookId}/', {
      ...{ params: { webhookId }, body },
    });
    void this.read();
    return changed;
  }

  async remove({ id: webhookId }: Webhook): Promise<void> {
    await this.session.client.request('DELETE /v1/webhooks/{webhookId}/', { params: { webhookId } });
    await this.read();
  }
}
