import type { ResourceEventName } from '@adit/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { enqueue } from '@adit/outbox';
import { keepEvents, keptEvents } from './workspace-events.js';

/** The `resource` in the data of `events.raised`, for events that are not of a job. */
export const ResourceNotice = z.object({
  workspaceId: z.uuid(),
  /** `data` of the delivery: the resource as it was, under its name. */
  data: z.record(z.string(), z.unknown()),
  /** Job of a transcript, by reference: its sources may exceed the size of a message. */
  jobId: z.uuid().optional(),
});
export type ResourceNotice = z.infer<typeof ResourceNotice>;

/** Messages that are written together: a paragraph of the longest has 60 kB. */
const WRITE_BATCH = 50;

interface ResourceEvent extends Pick<ResourceNotice, 'data' | 'jobId'> {
  event: ResourceEventName;
  /** Where it is of another resource than the others. */
  id?: string;
}

/** The resource of the events, and the job that it belongs to, if any. */
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
  if (happened.length === 0) return;
  for (let at = 0; at < happened.length; at += WRITE_BATCH) {
    const some = happened.slice(at, at + WRITE_BATCH);
    const kept = some.map(({ event, data, id: subjectId = id, jobId: of = jobId }) => ({
      ...{ workspaceId, subjectId, jobId: of, event, data },
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
    .map(({ event, id: key = id, ...resource }) => ({
      topic: 'events.raised' as const,
      ...{ key, jobId: key, workspaceId },
      payload: { event, data: { resource: { workspaceId, ...resource } } },
    }));
  for (let at = 0; at < messages.length; at += WRITE_BATCH) {
    await enqueue(manager, messages.slice(at, at + WRITE_BATCH));
  }
}
