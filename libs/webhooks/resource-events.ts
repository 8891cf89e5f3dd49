import type { ResourceEventName } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { enqueue } from '@adit/outbox';
import { keepEvents, keptEvents } from './workspace-events.js';

/** What `events.raised` carries as `resource` in its data when the event is not one of a job. */
export const ResourceNotice = z.object({
  workspaceId: z.uuid(),
  /** `data` of the delivery: the resource as it was, under its name. */
  data: z.record(z.string(), z.unknown()),
  /** Of a transcript: the job that it shows. That may have more sources than a message has room for, so it comes by reference. */
  jobId: z.uuid().optional(),
});
export type ResourceNotice = z.infer<typeof ResourceNotice>;

/** Messages that are written together: a paragraph of the longest has 60 kB. */
const WRITTEN_AT_ONCE = 50;

interface ResourceEvent extends Pick<ResourceNotice, 'data' | 'jobId'> {
  event: ResourceEventName;
}

/** What the events are of, and the job that it belongs to, where it does. */
interface Place {
  id: string;
  workspaceId: string;
  jobId?: string | null;
}

/**
 * Tells the streams and the webhooks of a workspace what happened to a resource, if the caller's transaction commits. What no webhook
 * asks for is not sent.
 */
export async function raiseResourceEvents(
  manager: EntityManager,
  { id, workspaceId, jobId = null }: Place,
  happened: readonly ResourceEvent[],
): Promise<void> {
  for (let at = 0; at < happened.length; at += WRITTEN_AT_ONCE) {
    const some = happened.slice(at, at + WRITTEN_AT_ONCE);
    const kept = some.map(({ event, data, jobId: of = jobId }) => ({
      ...{ workspaceId, subjectId: id, jobId: of, event, data },
    }));
    await manager.query(keepEvents('$1'), [keptEvents(kept)]);
  }
  const rows: { event: string }[] = await manager.query(
    'SELECT DISTINCT event FROM webhooks WHERE workspace_id = $1 AND event = ANY($2::text[]) AND enabled',
    [workspaceId, [...new Set(happened.map(({ event }) => event))]],
  );
  const wanted = new Set(rows.map(({ event }) => event));
  const messages = happened
    .filter(({ event }) => wanted.has(event))
    .map(({ event, ...resource }) => ({
      topic: 'events.raised' as const,
      ...{ key: id, jobId: id },
      payload: { event, data: { resource: { workspaceId, ...resource } } },
    }));
  for (let at = 0; at < messages.length; at += WRITTEN_AT_ONCE) {
    await enqueue(manager, messages.slice(at, at + WRITTEN_AT_ONCE));
  }
}
