import { DatasetImportEntity } from '@adit/database';
import { expireImport } from '@adit/datasets';
import { LessThan } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Records of imports; the imported images stay. */
export const datasetImports = rowRule<DatasetImportEntity>({
  kind: 'dataset_imports',
  find: ({ db, now }) =>
    db.manager.find(DatasetImportEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH_SIZE }),
  remove: ({ id }, { db }) => expireImport(db, id),
});
