import type { SegmentEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { shownIdentities } from './identities.js';

/**
 * Updates segments to the current state of their identities: new labels, merges. One that is gone leaves the segment
 * unknown.
 * @param workspaceId of the job
 */
export async function nameSegments(
  manager: EntityManager,
  workspaceId: string,
  segments: SegmentEntity[],
): Promise<void> {
  const ids = segments.flatMap(({ indexId }) => indexId ?? []);
  if (ids.length === 0) return;
  const shown = await shownIdentities(manager, workspaceId, ids);
  for (const segment of segments) {
    const identity = segment.indexId === null ? undefined : shown.get(segment.indexId);
    if (identity === undefined) continue;
    segment.meta = { ...segment.meta, indexed_identity: identity };
    if (identity.label === '') continue;
    segment.label = identity.label;
    segment.meta['person'] = identity.label;
    // Only given for people called `unknown`.
    delete segment.meta['closest_person'];
  }
}

/** An item of a stored summary: `index_id` of an identity that may be named later. */
interface StoredItem {
  type: string;
  label: string;
  module: string;
  index_id?: string;
}

/** Updates the summaries of jobs in the same way; merged identities become one item. */
export async function nameSummaries(
  manager: EntityManager,
  workspaceId: string,
  jobs: { summary: { items: StoredItem[] }[] }[],
): Promise<void> {
  const parts = jobs.flatMap(({ summary }) => summary);
  const ids = parts.flatMap(({ items }) => items.flatMap(({ index_id: id }) => id ?? []));
  if (ids.length === 0) return;
  const shown = await shownIdentities(manager, workspaceId, ids, { pictures: false });
  for (const part of parts) {
    const named = part.items.map(({ index_id: id, ...item }) => {
      const label = id === undefined ? '' : (shown.get(id)?.label ?? '');
      return label === '' ? item : { ...item, label };
    });
    part.items = [...new Map(named.map((item): [string, StoredItem] => [JSON.stringify(item), item])).values()];
  }
}
