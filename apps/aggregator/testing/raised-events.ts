import { randomUUID } from 'node:crypto';
import type { Envelope, Payload, ResourceEventName } from '@adit/contracts';
import { WebhookEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Creates a webhook of the workspace for each event. */
export async function askedFor(
  manager: EntityManager,
  workspaceId: string,
  ...events: ResourceEventName[]
): Promise<void> {
  for (const event of events) {
    const webhook = { id: randomUUID(), workspaceId, event, url: 'https://example.org/hook', secret: 's' };
    await manager.insert(WebhookEntity, webhook);
  }
}

/** Returns the data of messages to webhooks of the workspace since the last call, by event. */
export async function raised(
  manager: EntityManager,
): Promise<{ event: string; workspaceId: string; data: Record<string, unknown> }[]> {
  const rows: { envelope: Envelope }[] = await manager.query(
    `SELECT envelope FROM outbox WHERE topic = 'events.raised' ORDER BY id`,
  );
  await manager.query(`DELETE FROM outbox WHERE topic = 'events.raised'`);
  return rows.map(({ envelope }) => {
    const { event, data } = envelope.payload as Payload<'events.raised'>;
    const resource = data['resource'] as { workspaceId: string; data: Record<string, unknown> };
    return { event, ...resource };
  });
}
