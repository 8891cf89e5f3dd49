import { WEBHOOK_KIND, webhookSubscription, type NewDelivery } from '@adit/webhooks';
import type { EntityManager } from 'typeorm';

/** Addresses of the workspace's webhooks that subscribe to the event, the oldest webhook first. */
export async function subscribers(
  manager: EntityManager,
  workspaceId: string,
  event: string,
): Promise<Pick<NewDelivery, 'subscription' | 'kind' | 'signer' | 'url' | 'orderKey'>[]> {
  const webhooks: { id: string; url: string }[] = await manager.query(
    `SELECT id, url FROM webhooks WHERE workspace_id = $1 AND event = $2 AND enabled ORDER BY time_created, id`,
    [workspaceId, event],
  );
  return webhooks.map(({ id, url }) => ({
    subscription: webhookSubscription(id),
    kind: WEBHOOK_KIND,
    signer: id,
    url,
    // Each event carries its time; none waits for another.
    orderKey: null,
  }));
}
