import { isoTimeOrNull, type StorageEntry, type StorageEntryV2 } from '@adit/contracts';
import type { StorageEntryEntity } from '@adit/database';
import { storageTypeOf } from './content-type.js';

function shared({ id, key, size, name, isFolder, uploaded, uploadFailed }: StorageEntryEntity) {
  return {
    id,
    url: key === null ? null : `storage://${key}`,
    file_size: isFolder ? null : Number(size ?? 0),
    name,
    uploaded: isFolder || uploaded,
    upload_failed: uploadFailed,
  };
}

export function presentEntry(entry: StorageEntryEntity): StorageEntry {
  const isImage = storageTypeOf(entry.contentType) === 'IMAGE';
  return { ...shared(entry), is_image: isImage, is_folder: entry.isFolder };
}

export function presentEntryV2(entry: StorageEntryEntity): StorageEntryV2 {
  return {
    ...shared(entry),
    storage_type: entry.isFolder ? 'FOLDER' : storageTypeOf(entry.contentType),
    uploaded_at: isoTimeOrNull(entry.isFolder ? entry.timeCreated : entry.timeUploaded),
  };
}
