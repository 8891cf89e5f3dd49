import type { EntityManager } from 'typeorm';
import type { AttemptRecord } from './delivery-store.js';

/** The kind of deliveries to a Webhook resource; its id signs them. */
export const WEBHOOK_KIND = 'webhook';
/** After so long without a single success, the end of an event's attempts ends the webhook. */
const FAILING_TOO_LONG_MILLISECONDS = 5 * 86_400_000;

export function webhookSubscription(id: string): string {
  return `webhook:${id}`;
}

/**
 * Keeps for how long webhooks have failed, and disables those that answered 410 and those that accepted nothing for five
 * days when an event's attempts are used up, with everything that waits for them. Returns the ids of the disabled.
 */
export async function noteWebhookHealth(manager: EntityManager, records: AttemptRecord[]): Promise<string[]> {
  const health = new Map<string, { delivered: boolean; gone: boolean; givenUp: boolean; since: Date; at: Date }>();
  for (const { delivery, answer, started, ended, nextDue } of records) {
    const known = health.get(delivery.signer) ?? {
      ...{ delivered: false, gone: false, givenUp: false, since: started, at: ended },
    };
    health.set(delivery.signer, {
      delivered: known.delivered || answer.outcome === 'delivered',
      gone: known.gone || answer.outcome === 'gone',
      givenUp: known.givenUp || (answer.outcome === 'failed' && nextDue === null),
      since: started < known.since ? started : known.since,
      at: ended > known.at ? ended : known.at,
    });
  }
  const column = <T>(of: (each: { delivered: boolean; gone: boolean; givenUp: boolean; since: Date; at: Date }) => T) =>
    [...health.values()].map(of);
  // Nothing is written while all is well: one row would be written with every batch.
  const disabled: { id: string; gone: boolean }[] = await manager.query(HEALTH, [
    [...health.keys()],
    column(({ delivered }) => delivered),
    column(({ gone }) => gone),
    column(({ givenUp }) => givenUp),
    column(({ since }) => since),
    column(({ at }) => at),
    column(({ at }) => new Date(at.getTime() - FAILING_TOO_LONG_MILLISECONDS)),
  ]);
  const failed = disabled.filter(({ gone }) => !gone).map(({ id }) => webhookSubscription(id));
  if (failed.length > 0) await endPending(manager, failed);
  return disabled.map(({ id }) => id);
}

const HEALTH = `
  WITH made AS (
    SELECT * FROM unnest($1::uuid[], $2::bool[], $3::bool[], $4::bool[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[])
        AS m (id, delivered, gone, given_up, since, at, long_ago)),
  after AS (
    SELECT m.*, w.failing_since,
           NOT m.gone AND NOT m.delivered AND m.given_up AND coalesce(w.failing_since, m.since) <= m.long_ago AS dead
      FROM made m JOIN webhooks w ON w.id = m.id AND w.enabled),
  noted AS (
    UPDATE webhooks w
       SET failing_since = CASE WHEN a.delivered THEN NULL ELSE coalesce(w.failing_since, a.since) END,
           enabled = NOT (a.gone OR a.dead),
           time_disabled = CASE WHEN a.gone OR a.dead THEN a.at END,
           disabled_reason = CASE WHEN a.gone THEN 'The receiver answered 410: it wants no more.'
                                  WHEN a.dead THEN 'The receiver accepted nothing for five days.' END
      FROM after a
     WHERE w.id = a.id
       AND (a.gone OR a.dead OR (a.delivered AND w.failing_since IS NOT NULL) OR (NOT a.delivered AND w.failing_since IS NULL))
    RETURNING w.id, w.enabled, a.gone)
  SELECT id, gone FROM noted WHERE NOT enabled`;

/** Ends what waits for these subscriptions as failed; it can be replayed. */
export async function endPending(manager: EntityManager, subscriptions: string[]): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'failed', time_ended = now() WHERE subscription = ANY($1) AND state = 'pending'`,
    [subscriptions],
  );
}

/** After a 410 nothing goes to a subscription; this forgets it, for one that was enabled again. */
export async function forgetGone(manager: EntityManager, subscription: string): Promise<void> {
  await manager.query(`UPDATE webhook_deliveries SET state = 'failed' WHERE subscription = $1 AND state = 'gone'`, [
    subscription,
  ]);
}

/** Sends pending deliveries to the new address from their next attempt. */
export async function redirectPending(
  manager: EntityManager,
  subscription: string,
  to: { url: string; receiver: string },
): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET url = $2, receiver = $3 WHERE subscription = $1 AND state = 'pending'`,
    [subscription, to.url, to.receiver],
  );
}

/** State of a delivery. `sending`: an attempt is in progress, or was lost a moment ago. */
export async function deliveryState(
  manager: EntityManager,
  id: string,
  subscription: string,
): Promise<'unknown' | 'sending' | 'waiting' | 'ended'> {
  const [row]: { state: 'sending' | 'waiting' | 'ended' }[] = await manager.query(
    `SELECT CASE WHEN state <> 'pending' THEN 'ended'
                 WHEN attempts = 0 OR EXISTS (SELECT FROM webhook_attempts a
                                               WHERE a.delivery_id = d.id AND a.attempt = d.attempts) THEN 'waiting'
                 ELSE 'sending' END AS state
       FROM webhook_deliveries d WHERE id = $1 AND subscription = $2 FOR UPDATE`,
    [id, subscription],
  );
  return row?.state ?? 'unknown';
}

/** Has a delivery sent again at `now` under the same id, to where its webhook points today. */
export async function replayDelivery(
  manager: EntityManager,
  { id, subscription, url, receiver }: { id: string; subscription: string; url: string; receiver: string },
  now: Date,
): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries
        SET state = 'pending', attempts_before_replay = attempts, time_ended = NULL, url = $3, receiver = $4, due_at = $5
      WHERE id = $1 AND subscription = $2`,
    [id, subscription, url, receiver, now],
  );
}

/** Removes some of what was and is to be sent for a workspace's jobs and webhooks, with the attempts. Returns how much. */
export async function removeDeliveriesOfWorkspace(
  manager: EntityManager,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const [row]: { count: number }[] = await manager.query(
    `WITH found AS (
       (SELECT d.id FROM jobs j JOIN webhook_deliveries d ON d.job_id = j.id WHERE j.workspace_id = $1 LIMIT $2)
       UNION
       (SELECT d.id FROM webhooks w JOIN webhook_deliveries d ON d.subscription = 'webhook:' || w.id
         WHERE w.workspace_id = $1 LIMIT $2)
       LIMIT $2),
     attempts AS (DELETE FROM webhook_attempts a USING found f WHERE a.delivery_id = f.id),
     removed AS (DELETE FROM webhook_deliveries d USING found f WHERE d.id = f.id RETURNING 1)
     SELECT count(*)::int AS count FROM removed`,
    [workspaceId, limit],
  );
  return row?.count ?? 0;
}

/** Removes all that was and is to be sent, with the attempts. */
export async function removeDeliveriesOf(manager: EntityManager, subscription: string): Promise<void> {
  await manager.query(
    `WITH removed AS (DELETE FROM webhook_deliveries WHERE subscription = $1 RETURNING id)
     DELETE FROM webhook_attempts a USING removed r WHERE a.delivery_id = r.id`,
    [subscription],
  );
}
