import { z } from 'zod';
import { IsoTime } from '../values/time.js';

/** Storage object, version 1: `url` and `file_size` are null for folders; a folder's `name` is its full path. */
export const StorageEntry = z.strictObject({
  id: z.int().positive().describe('Id of the entry'),
  url: z.string().nullable().describe('storage:// address that jobs take; null for folders'),
  file_size: z.int().nonnegative().nullable().describe('Bytes; null for folders'),
  name: z.string().describe('Name of the file; of a folder its full path'),
  uploaded: z.boolean().describe('Whether all of it is stored; always true for folders'),
  upload_failed: z.boolean().describe('Whether its upload broke off for good'),
  is_image: z.boolean().describe('Whether it is a picture, by its content'),
  is_folder: z.boolean().describe('Whether it is a folder'),
});
export type StorageEntry = z.infer<typeof StorageEntry>;

export const StorageType = z.enum(['IMAGE', 'VIDEO', 'AUDIO', 'FOLDER']);
export type StorageType = z.infer<typeof StorageType>;

/** Storage object, version 2. */
export const StorageEntryV2 = z.strictObject({
  id: z.int().positive().describe('Id of the entry'),
  url: z.string().nullable().describe('storage:// address that jobs take; null for folders'),
  file_size: z.int().nonnegative().nullable().describe('Bytes; null for folders'),
  name: z.string().describe('Name of the file; of a folder its full path'),
  uploaded: z.boolean().describe('Whether all of it is stored; always true for folders'),
  upload_failed: z.boolean().describe('Whether its upload broke off for good'),
  storage_type: StorageType.nullable().describe('Kind by its content; null for other files'),
  uploaded_at: IsoTime.nullable().describe('When all of it was stored, a folder when it was made; null before'),
});
export type StorageEntryV2 = z.infer<typeof StorageEntryV2>;

/** GET /v1/storage/usage/. */
export const StorageUse = z.strictObject({
  limit: z.int().nullable().describe('Bytes that files, transcripts and recordings may have together; null: no limit'),
  used: z.int().describe('Bytes that they have, uploads under way included with their whole length'),
  free: z.int().nullable().describe('Bytes that are left, 0 after the limit was lowered below `used`; null: no limit'),
  uploads: z.int().describe('Bytes of `used` that uploaded files have'),
  transcripts: z.int().describe('Bytes of `used` that transcripts have'),
  recordings: z.int().describe('Bytes of `used` that recordings of live streams have'),
});
export type StorageUse = z.infer<typeof StorageUse>;
