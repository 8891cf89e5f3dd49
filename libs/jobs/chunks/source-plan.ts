import type { EntityManager } from 'typeorm';
import { reasonOf, sourceError } from '../state/job-errors.js';
import type { LockedJob } from '../state/locked-job.js';
import { setSourceFailed } from './source-states.js';
import { enqueue } from '@adit/outbox';

/** Fails a source that cannot be mined: the reason stays with it and with the job, the other sources go on. */
export async function failSource(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  reason: string,
): Promise<void> {
  const uris = await setSourceFailed(manager, locked.job.id, sourceIndex, reasonOf(reason));
  await locked.addErrors(uris.map((uri) => sourceError(uri, reason)));
  await announceSource(manager, locked, sourceIndex);
}

/** Notifies the scheduler and the aggregator that a source was opened or refused. */
export async function announceSource(manager: EntityManager, locked: LockedJob, sourceIndex: number): Promise<void> {
  const { id: jobId, traceparent } = locked.job;
  const payload = { sourceIndex };
  await enqueue(manager, [{ topic: 'sources.planned', key: jobId, jobId, traceparent, payload }]);
}
