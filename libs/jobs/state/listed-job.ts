import { nameSummaries, shownIdentities } from '@adit/indexes';
import { shownColumns, type ShownRow } from '@adit/presentation';
import type { EntityManager } from 'typeorm';

/** Returns a job for deliveries, with the identities that its summary may name; null when it was deleted. */
export async function listedJob(
  manager: EntityManager,
  jobId: string,
): Promise<{ job: ShownRow; identities: string[] } | null> {
  const [job]: ShownRow[] = await manager.query(
    `SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = $1 AND j.time_deleted IS NULL`,
    [jobId],
  );
  if (job === undefined || job.modules.length === 0) return null;
  // Identities are read first: one that is erased from here on is missed when the delivery is stored.
  const summaries: { items: { label: string; index_id?: string }[] }[] = job.summary;
  const summed = summaries.flatMap(({ items }) => items.flatMap(({ index_id: id }) => id ?? []));
  const identities = [...(await shownIdentities(manager, job.workspaceId, summed, { pictures: false })).keys()];
  await nameSummaries(manager, job.workspaceId, [job]);
  return { job, identities };
}
