import { z } from 'zod';
import { AuditActor } from './audit.js';
import { IndexId } from './face-index.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** POST /v1/erasures/: exactly one of a person of a face index, a class of a dataset, a file. */
export const ErasureRequest = z
  .strictObject({
    index_id: IndexId.optional().describe('A person of a face index'),
    dataset_id: z.string().max(64).optional().describe('Dataset of the class in `class_id`'),
    class_id: z.string().max(64).optional().describe('A class of the dataset in `dataset_id`'),
    file_uri: z
      .string()
      .max(4096)
      .regex(/^[a-z]+:\/\/.+/, 'storage://<key>, or the address of a live stream')
      .optional()
      .describe('A stored file, by its storage:// address, or a live stream by the address that its jobs show'),
  })
  .refine(
    ({ index_id, dataset_id, class_id, file_uri }) =>
      (dataset_id === undefined) === (class_id === undefined) &&
      [index_id, class_id, file_uri].filter((one) => one !== undefined).length === 1,
    'give index_id, or dataset_id and class_id, or file_uri',
  );
export type ErasureRequest = z.infer<typeof ErasureRequest>;

/** The erased person or file. */
const ErasureSubject = z.strictObject({
  index_id: IndexId.optional().describe('The person of a face index'),
  merged: z.array(IndexId).optional().describe('Identities that had been merged into it'),
  collection_name: z.string().optional().describe('Index collection of that person'),
  dataset_id: z.string().optional().describe('Dataset of the class'),
  class_id: z.string().optional().describe('The class'),
  file_uri: z.string().optional().describe('The stored file, or the live stream'),
});
export type ErasureSubject = z.infer<typeof ErasureSubject>;

/** The receipt of an erasure: what was removed, where, how much of it, when, and who asked. */
export const Erasure = z.strictObject({
  id: z.uuid().describe('Id of the erasure'),
  state: z.enum(['processing', 'completed']).describe('`processing` until nothing is left, then `completed`'),
  obstacle: z
    .string()
    .nullable()
    .describe('What stands in its way, such as a legal hold that was set since; null where nothing does'),
  subject: ErasureSubject.describe('What was asked to be erased'),
  counts: z.record(z.string(), z.int()).describe('What was removed so far, by kind'),
  requested_by: AuditActor.describe('The key that asked for it'),
  request_id: z.string().describe('X-Request-Id of the request'),
  time_created: IsoTime.describe('When it was asked for'),
  time_completed: IsoTime.nullable().describe('When nothing was left; null before'),
});
export type Erasure = z.infer<typeof Erasure>;
export const ErasurePage = pageOf(Erasure);

/** DELETE of an identity. */
export const IdentityErased = Erasure.extend({ message: z.string().describe('Text for people about what was done') });
