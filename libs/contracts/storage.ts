import { z } from 'zod';

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
