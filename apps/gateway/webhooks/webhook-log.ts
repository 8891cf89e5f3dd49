import {
  AditError,
  isoTime,
  isoTimeOrNull,
  TEST_EVENT,
  type PageQuery,
  type WebhookAttempt,
  type WebhookMessage,
} from '@adit/contracts';
import {
  databaseNow,
  inTransaction,
  isUuid,
  readPage,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  type Beside,
  type FoundPage,
  type WebhookEntity,
} from '@adit/database';
import { currentTraceparent } from '@adit/runtime';
import {
  deliveryState,
  receiverOf,
  replayDelivery,
  storeDeliveries,
  WEBHOOK_KIND,
  webhookSubscription,
} from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';

type AttemptRow = WebhookAttemptEntity & Pick<WebhookDeliveryEntity, 'event' | 'state' | 'dueAt'>;

/** Lists and repeats the deliveries of a webhook. */
@Injectable()
export class WebhookLog {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Newest first. */
  async attempts(
    webhook: WebhookEntity,
    { message_id: messageId, ...page }: PageQuery & { message_id?: string | undefined },
  ): Promise<Pick<FoundPage<never>, 'total' | 'next'> & { data: WebhookAttempt[] }> {
    if (messageId !== undefined && !isUuid(messageId)) return { total: 0, data: [], next: null };
    const found = this.db.manager
      .createQueryBuilder(WebhookAttemptEntity, 'a')
      .where({ webhookId: webhook.id, ...(messageId !== undefined && { deliveryId: messageId }) });
    const order = [
      { by: 'a.timeStarted', kind: 'time', descending: true },
      { by: 'a.deliveryId', kind: 'uuid', descending: true },
      { by: 'a.attempt', kind: 'number', descending: true },
    ] as const;
    const { rows, total, next } = await readPage(found, page, order, { created: 'timeStarted' });
    const ids = [...new Set(rows.map(({ deliveryId }) => deliveryId))];
    const deliveries = await this.db.manager.find(WebhookDeliveryEntity, {
      where: { id: In(ids) },
      select: { id: true, event: true, state: true, dueAt: true },
    });
    const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    const data = rows.flatMap((row) => {
      const delivery = byId.get(row.deliveryId);
      return delivery === undefined ? [] : [presentAttempt({ ...row, ...delivery })];
    });
    return { total, next, data };
  }

  /** Has a test event sent, under this id. Throws CONFLICT for a disabled webhook. */
  async test(webhook: WebhookEntity, id: string, beside: Beside): Promise<WebhookMessage> {
    refuseDisabled(webhook);
    const { event, url, description } = webhook;
    const delivery = {
      id,
      subscription: webhookSubscription(webhook.id),
      fact: `test/${id}`,
      kind: WEBHOOK_KIND,
      signer: webhook.id,
      jobId: null,
      url,
      orderKey: null,
      event: TEST_EVENT,
      timestamp: Date.now() / 1000,
      data: { webhook: { id: webhook.id, event, url, description } },
      traceparent: currentTraceparent(),
    };
    await inTransaction(this.db, async (manager) => {
      await beside(manager);
      await storeDeliveries(manager, [delivery]);
    });
    return { message_id: id, event: TEST_EVENT, state: 'pending' };
  }

  /** The message of an attempt, or of that id, as it stands. Throws NOT_FOUND. */
  async message(webhook: WebhookEntity, attemptId: string): Promise<WebhookMessage> {
    const where = { id: messageOf(attemptId), subscription: webhookSubscription(webhook.id) };
    const row = isUuid(where.id) ? await this.db.manager.findOneBy(WebhookDeliveryEntity, where) : null;
    if (row === null) throw unknownAttempt(attemptId);
    return { message_id: row.id, event: row.event, state: row.state };
  }

  /**
   * @param attemptId of an attempt, or of the message itself.
   *
   * Throws NOT_FOUND, and CONFLICT for a disabled webhook and while the message is being sent.
   */
  async replay(webhook: WebhookEntity, attemptId: string, beside: Beside): Promise<WebhookMessage> {
    const id = messageOf(attemptId);
    const subscription = webhookSubscription(webhook.id);
    refuseDisabled(webhook);
    return inTransaction(this.db, async (manager) => {
      await beside(manager);
      const current = isUuid(id) ? await deliveryState(manager, id, subscription) : 'unknown';
      if (current === 'unknown') throw unknownAttempt(attemptId);
      if (current === 'sending') {
        throw new AditError('CONFLICT', 'The message is being sent at this moment; look at its attempts again.', {
          retryAfterSeconds: 5,
        });
      }
      const { url } = webhook;
      await replayDelivery(manager, { id, subscription, url, receiver: receiverOf(url) }, await databaseNow(manager));
      const { event, state } = await manager.findOneByOrFail(WebhookDeliveryEntity, { id });
      return { message_id: id, event, state };
    });
  }
}

function messageOf(attemptId: string): string {
  return attemptId.replace(/\.\d{1,9}$/, '');
}

function unknownAttempt(id: string): AditError {
  return new AditError('NOT_FOUND', `There is no attempt ${id}.`);
}

function refuseDisabled({ enabled, disabledReason }: WebhookEntity): void {
  if (enabled) return;
  const why = disabledReason === null ? '' : ` (${disabledReason})`;
  throw new AditError('CONFLICT', `The webhook is disabled${why}; enable it first.`);
}

function presentAttempt(row: AttemptRow): WebhookAttempt {
  const { deliveryId, attempt, event, timeStarted, took, status, error, response, state, dueAt } = row;
  return {
    id: `${deliveryId}.${attempt}`,
    message_id: deliveryId,
    event,
    attempt,
    time_started: isoTime(timeStarted),
    duration: took / 1000,
    status,
    error,
    response,
    state,
    time_next: state === 'pending' ? isoTimeOrNull(dueAt) : null,
  };
}
