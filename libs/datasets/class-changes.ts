import type { ClassChange } from '@adit/contracts';
import { columns, DatasetClassEntity } from '@adit/database';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { referenceTaken } from './classes.js';
import { lockClass, type ClassPlace } from './images.js';

/** Changes what is given of a class. Throws NOT_FOUND, and CONFLICT when another class has the reference. */
export async function changeClass(manager: EntityManager, place: ClassPlace, change: ClassChange): Promise<void> {
  const { id, datasetId, changes } = await lockClass(manager, place);
  const { expiration_date: expiration, custom_fields: customFields, reference, label, active, notes, level } = change;
  if (reference !== undefined) {
    const namesake = { datasetId, reference, id: Not(id), timeDeleted: IsNull() };
    if (await manager.existsBy(DatasetClassEntity, namesake)) throw referenceTaken(reference);
  }
  const given = { reference, label, active, notes, level, customFields };
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  await manager.update(
    DatasetClassEntity,
    { id },
    columns<DatasetClassEntity>({
      ...Object.fromEntries(said),
      ...(expiration === undefined ? {} : { expirationDate: expiration === null ? null : new Date(expiration) }),
      changes: changes + 1,
      timeUpdated: new Date(),
    }),
  );
}
