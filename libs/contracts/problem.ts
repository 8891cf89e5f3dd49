import { z } from 'zod';
import { QuotaUse } from './resources/quota.js';

/** One offending place of a request. */
export const ProblemError = z.strictObject({
  pointer: z.string().describe('JSON Pointer into the body, or `?name` for a query parameter'),
  code: z.string().describe('Kind of fault, in one word for programs'),
  message: z.string().describe('Description of the fault for people'),
  existing: z.record(z.string(), z.unknown()).optional().describe('The resource that is in the way'),
  quota: QuotaUse.optional().describe('The quota that is used up'),
});

/** RFC 9457 problem details with Adit's additions; `message` repeats `detail`. */
export const Problem = z.strictObject({
  type: z.string().describe('A URI that identifies the kind of problem'),
  title: z.string().describe('The kind of problem, for a person'),
  status: z.int().describe('The HTTP status'),
  detail: z.string().describe('Description of the fault and its remedy for people'),
  instance: z.string().describe('The path that was asked'),
  code: z.string().describe('The kind of problem, for programs'),
  message: z.string().describe('The same as `detail`'),
  request_id: z.string().describe('X-Request-Id of the request, to be found in the logs'),
  errors: z
    .array(ProblemError)
    .describe('Each place of the request that is wrong; empty where it is none in particular'),
});
export type Problem = z.infer<typeof Problem>;
