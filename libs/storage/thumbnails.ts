import { StorageEntryEntity } from '@adit/database';
import { updateHeld, type Held } from '@adit/leases';
import type { EntityManager } from 'typeorm';

/** Marks a thumbnail as asked for; false when it is there, or a decoder was asked less than `seconds` ago. */
export async function requestThumbnail(manager: EntityManager, entryId: number, seconds: number): Promise<boolean> {
  const { affected } = await manager
    .createQueryBuilder()
    .update(StorageEntryEntity)
    .set({ thumbnail: 'requested', thumbnailLeaseUntil: () => `now() + interval '${seconds} seconds'` })
    .where('id = :entryId', { entryId })
    .andWhere(`(thumbnail IS NULL OR (thumbnail = 'requested' AND thumbnail_lease_until < now()))`)
    .execute();
  return affected !== 0;
}

/** The attempt that holds the entry has stored its thumbnail; false when it does not hold it any more. */
export function thumbnailMade(db: Pick<EntityManager, 'query'>, held: Held): Promise<boolean> {
  return updateHeld(db, held, `thumbnail = 'made'`);
}

/** Nothing can be shown of the file, and why. */
export async function thumbnailFailed(manager: EntityManager, entryId: number, reason: string): Promise<void> {
  await manager.update(StorageEntryEntity, { id: entryId }, { thumbnail: 'none', thumbnailError: reason });
}
