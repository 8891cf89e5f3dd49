import { AditError, DatasetExport } from '@adit/contracts';
import { DatasetEntity, type ExportEntity } from '@adit/database';
import { cocoArchive, datasetArchive } from '@adit/datasets';
import type { ObjectStore } from '@adit/objects';
import { writeZip, ZIP } from '@adit/ooxml';
import { IsNull, type EntityManager } from 'typeorm';
import type { ExportedFile } from './transcript-exports.js';

const ARCHIVES = {
  basic_dataset_export: { write: datasetArchive, name: 'dataset' },
  coco_export: { write: cocoArchive, name: 'coco' },
};

/** Streams a dataset as an archive. `progress`, 0..1, is called as it goes. Throws NOT_FOUND when it was deleted. */
export async function datasetFile(
  manager: EntityManager,
  objects: ObjectStore,
  { workspaceId, config, strategy }: Pick<ExportEntity, 'workspaceId' | 'config'> & { strategy: keyof typeof ARCHIVES },
  progress: (share: number) => Promise<void>,
): Promise<ExportedFile> {
  const { dataset_id: id } = DatasetExport.parse(config);
  const dataset = await manager.findOneBy(DatasetEntity, { id, workspaceId, timeDeleted: IsNull() });
  if (dataset === null) throw new AditError('NOT_FOUND', 'The dataset was deleted.');
  const { write, name } = ARCHIVES[strategy];
  const content = writeZip(write({ manager, objects, dataset, progress }));
  return { filename: `${name}-${id}.${ZIP.extension}`, mimeType: ZIP.mimeType, content };
}
