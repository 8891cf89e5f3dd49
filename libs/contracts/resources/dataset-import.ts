import { z } from 'zod';
import { TaskState } from './batch.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** POST /v1/datasets/{id}/imports/: one of the two. */
export const DatasetImportRequest = z
  .strictObject({
    file_uri: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'storage:// address of a zip with a folder for each class, of a dataset that was exported, or of a CSV',
      ),
    folder: z.string().max(1024).optional().describe('A folder of the storage with a folder for each class'),
  })
  .refine(({ file_uri: uri, folder }) => (uri === undefined) !== (folder === undefined), {
    message: 'name either a file_uri or a folder',
  });
export type DatasetImportRequest = z.infer<typeof DatasetImportRequest>;

const count = z.int().nonnegative();

/** Pictures on their way into a dataset. */
export const DatasetImport = z.strictObject({
  id: z.uuid().describe('Id of the import'),
  dataset_id: z.uuid().describe('Dataset that the pictures go into'),
  file_uri: z.string().nullable().describe('The storage:// address that it was given; null with a folder'),
  folder: z.string().nullable().describe('The folder that it was given; null with a file'),
  state: TaskState.describe('`waiting` and `processing` until it is `completed` or `failed`'),
  progress: z.number().min(0).max(1).describe('From 0 to 1'),
  error_msg: z.string().nullable().describe('Why all of it failed; what was imported before stays'),
  number_of_files: count.describe('Number of its files; 0 until it has begun'),
  number_of_images: count.describe('Number created'),
  number_of_classes: count.describe('Number created'),
  number_of_errors: count.describe('Files that it could not import: a list of their own says why'),
  time_created: IsoTime.describe('When it was asked for'),
  time_started: IsoTime.nullable().describe('When it began; null before'),
  time_completed: IsoTime.nullable().describe('When it ended; null before'),
  time_expiration: IsoTime.nullable().describe('When this record goes; what was imported stays'),
});
export type DatasetImport = z.infer<typeof DatasetImport>;
export const DatasetImportPage = pageOf(DatasetImport);

/** A file that was not imported. */
export const DatasetImportError = z.strictObject({
  file: z.string().describe('Its path, or its line of the CSV'),
  code: z.string().describe('Kind of fault, in one word for programs'),
  message: z.string().describe('Description of the fault for people'),
});
export type DatasetImportError = z.infer<typeof DatasetImportError>;
export const DatasetImportErrorPage = pageOf(DatasetImportError);
