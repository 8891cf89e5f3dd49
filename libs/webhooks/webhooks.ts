import {
  AditError,
  isoTime,
  isoTimeOrNull,
  type PageQuery,
  type ResourceEventName,
  type Webhook,
} from '@adit/contracts';
import { columns, inTransaction, isUuid, readPage, WebhookEntity, type Beside, type FoundPage } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { receiverOf } from './new-delivery.js';
import { MAX_ATTEMPTS } from './schedule.js';
import { FORMER_SECRET_MILLISECONDS } from './secrets.js';
import { endPending, forgetGone, redirectPending, removeDeliveriesOf, webhookSubscription } from './webhook-store.js';

/** Fields of a webhook that a client may set. */
export interface WebhookFields {
  event: ResourceEventName;
  url: string;
  hmac_secret: string;
  description: string;
  enabled: boolean;
}

/** The webhooks of a workspace. */
@Injectable()
export class Webhooks {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** The oldest first. */
  list(workspaceId: string, page: Partial<PageQuery>): Promise<FoundPage<WebhookEntity>> {
    const found = this.db.manager.createQueryBuilder(WebhookEntity, 'w').where({ workspaceId });
    return readPage(found, page, [
      { by: 'w.timeCreated', kind: 'time' },
      { by: 'w.id', kind: 'uuid' },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's. */
  async get(workspaceId: string, id: string): Promise<WebhookEntity> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(WebhookEntity, { id, workspaceId }) : null;
    if (row === null) throw unknownWebhook(id);
    return row;
  }

  async create(workspaceId: string, id: string, fields: WebhookFields, beside: Beside): Promise<WebhookEntity> {
    const { event, url, hmac_secret: secret, description, enabled } = fields;
    await inTransaction(this.db, async (manager) => {
      await beside(manager);
      await manager.insert(WebhookEntity, { id, workspaceId, event, url, secret, description, enabled });
    });
    return this.get(workspaceId, id);
  }

  /** Changes what is given. Throws NOT_FOUND. */
  async change(workspaceId: string, id: string, fields: Partial<WebhookFields>): Promise<WebhookEntity> {
    await this.get(workspaceId, id);
    return inTransaction(this.db, async (manager) => {
      const before = await manager.findOne(WebhookEntity, {
        where: { id, workspaceId },
        lock: { mode: 'pessimistic_write' },
      });
      if (before === null) throw unknownWebhook(id);
      const subscription = webhookSubscription(id);
      const changes: Partial<WebhookEntity> = {};
      const { event, url, hmac_secret: secret, description, enabled } = fields;
      if (event !== undefined) changes.event = event;
      if (description !== undefined) changes.description = description;
      if (secret !== undefined && secret !== before.secret) {
        const formerSecretUntil = new Date(Date.now() + FORMER_SECRET_MILLISECONDS);
        Object.assign(changes, { secret, formerSecret: before.secret, formerSecretUntil });
      }
      if (url !== undefined && url !== before.url) {
        Object.assign(changes, { url, failingSince: null });
        await redirectPending(manager, subscription, { url, receiver: receiverOf(url) });
      }
      if (enabled !== undefined && enabled !== before.enabled) {
        const timeDisabled = enabled ? null : new Date();
        Object.assign(changes, { enabled, failingSince: null, disabledReason: null, timeDisabled });
        await (enabled ? forgetGone(manager, subscription) : endPending(manager, [subscription]));
      }
      if (Object.keys(changes).length > 0) await manager.update(WebhookEntity, { id }, columns<WebhookEntity>(changes));
      return manager.findOneByOrFail(WebhookEntity, { id });
    });
  }

  /** Throws NOT_FOUND. */
  async remove(workspaceId: string, id: string): Promise<void> {
    await this.get(workspaceId, id);
    await inTransaction(this.db, async (manager) => {
      await manager.delete(WebhookEntity, { id, workspaceId });
      await removeDeliveriesOf(manager, webhookSubscription(id));
    });
  }
}

/** `showsSecret`: to who may write it. Whoever knows it can forge what receivers trust. */
export function presentWebhook(row: WebhookEntity, showsSecret: boolean): Webhook {
  return {
    id: row.id,
    // Checked when the webhook was posted.
    event: row.event as ResourceEventName,
    url: row.url,
    hmac_secret: showsSecret ? row.secret : null,
    description: row.description,
    time_created: isoTime(row.timeCreated),
    exp_backoff: true,
    retry_limit: MAX_ATTEMPTS,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    time_disabled: isoTimeOrNull(row.timeDisabled),
  };
}

function unknownWebhook(id: string): AditError {
  return new AditError('NOT_FOUND', `There is no webhook ${id}.`);
}
