import { z } from 'zod';

const MAX_BYTES = 32 << 10;

/** A list of objects that clients keep with a resource; Adit reads in it what landmarks are and where, and nothing else. */
export const CustomFields = z
  .array(z.record(z.string(), z.unknown()))
  .refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= MAX_BYTES, {
    message: `custom_fields may have ${MAX_BYTES} bytes as JSON`,
  });
export type CustomFields = z.infer<typeof CustomFields>;
