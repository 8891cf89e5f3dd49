import type { Envelope, Payload } from '@adit/contracts';
import { WebhookEntity } from '@adit/database';
import { ResourceNotice } from '@adit/webhooks';
import { createLogger } from '@adit/runtime';
import {
  noteWebhookHealth,
  validSecrets,
  WEBHOOK_KIND,
  webhookSubscription,
  type AttemptRecord,
  type NewDelivery,
  type SecretSource,
} from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';

const log = createLogger('notifier');

/** Turns an event of a resource into deliveries to the webhooks of its workspace, and knows their secrets and health. */
@Injectable()
export class ResourceWebhooks implements SecretSource {
  readonly kind = WEBHOOK_KIND;

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Empty, without asking the database, for events of jobs. */
  async deliveriesOf(event: Payload<'events.raised'>, envelope: Envelope): Promise<NewDelivery[]> {
    if (!('resource' in event.data)) return [];
    const { workspaceId, data } = ResourceNotice.parse(event.data['resource']);
    const webhooks: Pick<WebhookEntity, 'id' | 'url'>[] = await this.db.query(
      `SELECT id, url FROM webhooks WHERE workspace_id = $1 AND event = $2 AND enabled ORDER BY time_created, id`,
      [workspaceId, event.event],
    );
    return webhooks.map(({ id, url }) => ({
      subscription: webhookSubscription(id),
      fact: envelope.id,
      kind: WEBHOOK_KIND,
      signer: id,
      jobId: null,
      url,
      // Each event says when it happened; none waits for another.
      orderKey: null,
      event: event.event,
      timestamp: new Date(envelope.occurredAt).getTime() / 1000,
      data,
      traceparent: envelope.traceparent,
    }));
  }

  async secretsOf(signers: string[], now: Date): Promise<Map<string, string[]>> {
    const webhooks = await this.db.manager.findBy(WebhookEntity, { id: In(signers), enabled: true });
    return new Map(
      webhooks.map(({ id, secret, formerSecret, formerSecretUntil }) => [
        id,
        validSecrets(secret, { secret: formerSecret, until: formerSecretUntil }, now),
      ]),
    );
  }

  async attempted(records: AttemptRecord[]): Promise<void> {
    const disabled = await noteWebhookHealth(this.db.manager, records);
    for (const id of disabled) log.warn({ webhook: id }, 'the webhook was disabled: its receiver takes nothing');
  }
}
