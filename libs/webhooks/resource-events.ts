import type { ResourceEventName } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { enqueue } from '@adit/outbox';

/** What `events.raised` carries as `resource` in its data when the event is not one of a job. */
export const ResourceNotice = z.object({
  workspaceId: z.uuid(),
  /** `data` of the delivery: the resource as it was, under its name. */
  data: z.record(z.string(), z.unknown()),
});
export type ResourceNotice = z.infer<typeof ResourceNotice>;

/** Tells the webhooks of a workspace what happened to a resource, if the caller's transaction commits. */
export async function raiseResourceEvent(
  manager: EntityManager,
  event: ResourceEventName,
  resource: { id: string; workspaceId: string; data: ResourceNotice['data'] },
): Promise<void> {
  const { id, workspaceId, data } = resource;
  const payload = { event, data: { resource: { workspaceId, data } } };
  await enqueue(manager, [{ topic: 'events.raised', key: id, jobId: id, payload }]);
}
