import { z } from 'zod';
import { AuditActor } from './audit.js';
import { IndexId } from './face-index.js';
import { pageOf } from './pagination.js';
import { IsoTime } from './time.js';

/** POST /v1/erasures/: exactly one of a person of a face index, a class of a dataset, a file. */
export const ErasureRequest = z
  .strictObject({
    index_id: IndexId.optional(),
    dataset_id: z.string().max(64).optional(),
    class_id: z.string().max(64).optional(),
    file_uri: z
      .string()
      .max(4096)
      .regex(/^storage:\/\/.+/, 'storage://<key>')
      .optional(),
  })
  .refine(
    ({ index_id, dataset_id, class_id, file_uri }) =>
      (dataset_id === undefined) === (class_id === undefined) &&
      [index_id, class_id, file_uri].filter((one) => one !== undefined).length === 1,
    'give index_id, or dataset_id and class_id, or file_uri',
  );
export type ErasureRequest = z.infer<typeof ErasureRequest>;

/** What was asked for. */
const ErasureSubject = z.strictObject({
  index_id: IndexId.optional(),
  merged: z.array(IndexId).optional().describe('Identities that had been merged into it'),
  collection_name: z.string().optional(),
  dataset_id: z.string().optional(),
  class_id: z.string().optional(),
  file_uri: z.string().optional(),
});
export type ErasureSubject = z.infer<typeof ErasureSubject>;

/** The receipt of an erasure: what was removed, where, how much of it, when, and who asked. */
export const Erasure = z.strictObject({
  id: z.uuid(),
  state: z.enum(['processing', 'completed']),
  subject: ErasureSubject,
  counts: z.record(z.string(), z.int()).describe('What was removed so far, by kind'),
  requested_by: AuditActor,
  request_id: z.string(),
  time_created: IsoTime,
  time_completed: IsoTime.nullable(),
});
export type Erasure = z.infer<typeof Erasure>;
export const ErasurePage = pageOf(Erasure);

/** DELETE of an identity. */
export const IdentityErased = Erasure.extend({ message: z.string() });
