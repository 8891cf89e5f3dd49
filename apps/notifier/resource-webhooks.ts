import type { Envelope, Payload } from '@adit/contracts';
import { WebhookEntity } from '@adit/database';
import { transcriptEventData } from '@adit/jobs';
import { createLogger } from '@adit/runtime';
import {
  noteWebhookHealth,
  ResourceNotice,
  validSecrets,
  WEBHOOK_KIND,
  type AttemptRecord,
  type NewDelivery,
  type SecretSource,
} from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { NOTIFIER_CONFIG, type NotifierConfig } from './config.js';
import { subscribers } from './subscribers.js';

const log = createLogger('notifier');

/** Makes deliveries of a resource's event to the webhooks of its workspace, with their secrets and health. */
@Injectable()
export class ResourceWebhooks implements SecretSource {
  readonly kind = WEBHOOK_KIND;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(NOTIFIER_CONFIG) private readonly config: Pick<NotifierConfig, 'publicUrl'>,
  ) {}

  /** Returns the deliveries; empty, without a query, for events of jobs. */
  async deliveriesOf(event: Payload<'events.raised'>, envelope: Envelope): Promise<NewDelivery[]> {
    if (!('resource' in event.data)) return [];
    const { workspaceId, data, jobId } = ResourceNotice.parse(event.data['resource']);
    const webhooks = await subscribers(this.db.manager, workspaceId, event.event);
    if (webhooks.length === 0) return [];
    const baseUrl = this.config.publicUrl ?? '';
    const shown = jobId === undefined ? { data } : await transcriptEventData(this.db.manager, data, jobId, baseUrl);
    if (shown === null) {
      log.debug({ jobId, event: event.event }, 'the job was deleted before its event could be delivered');
      return [];
    }
    return webhooks.map((webhook) => ({
      ...webhook,
      jobId: null,
      fact: envelope.id,
      event: event.event,
      timestamp: new Date(envelope.occurredAt).getTime() / 1000,
      traceparent: envelope.traceparent,
      ...shown,
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
    for (const id of disabled) log.warn({ webhook: id }, 'the webhook was disabled: its receiver rejects deliveries');
  }
}
