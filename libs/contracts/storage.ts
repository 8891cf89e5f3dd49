import { z } from 'zod';
import { IsoTime } from './time.js';

/** Storage object, version 1: `url` and `file_size` are null for folders; a folder's `name` is its full path. */
export const StorageEntry = z.strictObject({
  id: z.int().positive(),
  url: z.string().nullable(),
  file_size: z.int().nonnegative().nullable(),
  name: z.string(),
  uploaded: z.boolean(),
  upload_failed: z.boolean(),
  is_image: z.boolean(),
  is_folder: z.boolean(),
});
export type StorageEntry = z.infer<typeof StorageEntry>;

export const StorageType = z.enum(['IMAGE', 'VIDEO', 'AUDIO', 'FOLDER']);
export type StorageType = z.infer<typeof StorageType>;

/** Storage object, version 2. */
export const StorageEntryV2 = z.strictObject({
  id: z.int().positive(),
  url: z.string().nullable(),
  file_size: z.int().nonnegative().nullable(),
  name: z.string(),
  uploaded: z.boolean(),
  upload_failed: z.boolean(),
  /** By content; null for a file that is none of them. */
  storage_type: StorageType.nullable(),
  /** When all of it was stored, a folder when it was made; null before. */
  uploaded_at: IsoTime.nullable(),
});
export type StorageEntryV2 = z.infer<typeof StorageEntryV2>;
