import { z } from 'zod';

/** Events that a webhook of a workspace can hold. Those of one job alone go to the `webhook` of that job. */
export const RESOURCE_EVENTS = [
  'svc.transcript.on_created',
  'svc.transcript.variant.version.on_created',
  'svc.transcript.variant.version.paragraph.on_updated',
  'svc.export.on_started',
  'svc.export.on_completed',
  'svc.export.artifact.on_created',
  'svc.job.on_started',
  'svc.job.on_completed',
  'svc.job.on_failed',
  'svc.job.on_stopped',
  'svc.training.on_completed',
  'svc.training.on_failed',
  'svc.dataset.import.on_completed',
  'svc.stream.on_gap',
  'svc.search.on_match',
] as const;
export const ResourceEventName = z.enum(RESOURCE_EVENTS);
export type ResourceEventName = z.infer<typeof ResourceEventName>;

/** The event that tells a workspace's webhooks of a change of any of its jobs: `job.on_started` is `svc.job.on_started`. */
export function workspaceJobEvent(
  change: 'on_started' | 'on_completed' | 'on_failed' | 'on_stopped',
): ResourceEventName {
  return `svc.job.${change}`;
}

/** Event of POST /v1/webhooks/{id}/test/. */
export const TEST_EVENT = 'svc.webhook.on_test';
