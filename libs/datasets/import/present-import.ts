import { isoTime, isoTimeOrNull, type DatasetImport } from '@adit/contracts';
import type { DatasetImportEntity } from '@adit/database';
import { storageUri } from '../present.js';

export function presentImport(row: DatasetImportEntity): DatasetImport {
  const { id, state, files, images, errors } = row;
  const done = files === 0 ? 0 : Math.min(0.99, (images + errors) / files);
  return {
    ...{ id, state },
    dataset_id: row.datasetId,
    file_uri: row.storageKey === null ? null : storageUri(row.storageKey),
    folder: row.folder,
    progress: state === 'completed' ? 1 : done,
    error_msg: row.errorMsg,
    number_of_files: files,
    number_of_images: images,
    number_of_classes: row.classes,
    number_of_errors: errors,
    time_created: isoTime(row.timeCreated),
    time_started: isoTimeOrNull(row.timeStarted),
    time_completed: isoTimeOrNull(row.timeCompleted),
    time_expiration: isoTimeOrNull(row.timeExpiration),
  };
}
