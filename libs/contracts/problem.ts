import { z } from 'zod';

/** RFC 9457 problem details with Adit's additions; `message` repeats `detail`. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  message: z.string(),
  request_id: z.string(),
  errors: z.array(z.strictObject({ pointer: z.string(), code: z.string(), message: z.string() })),
});
export type Problem = z.infer<typeof Problem>;
