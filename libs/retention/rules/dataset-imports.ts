import { DatasetImportEntity } from '@adit/database';
import { LessThan } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Records of imports; the imported images stay. */
export const datasetImports = rowRule<DatasetImportEntity>({
  kind: 'dataset_imports',
  find: ({ db, now }) =>
    db.manager.find(DatasetImportEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH_SIZE }),
  remove: ({ id }, { db }) =>
    db.query(
      `WITH gone AS (DELETE FROM dataset_imports WHERE id = $1 RETURNING id)
       DELETE FROM dataset_import_errors WHERE import_id IN (SELECT id FROM gone)`,
      [id],
    ),
});
