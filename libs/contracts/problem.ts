import { z } from 'zod';

/** One offending place of a request. */
export const ProblemError = z.strictObject({
  pointer: z.string(),
  code: z.string(),
  message: z.string(),
  existing: z.record(z.string(), z.unknown()).optional().describe('The resource that is in the way'),
});

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
  errors: z.array(ProblemError),
});
export type Problem = z.infer<typeof Problem>;
