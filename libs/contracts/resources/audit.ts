import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Who changed something: the key that was used, or the member who was signed in. */
export const AuditActor = z.strictObject({
  kind: z
    .enum(['api-key', 'access-key', 'member'])
    .describe('Whether an API key, the token of an access key or a browser that a member signed in with was used'),
  id: z.string().describe('Id of the API key or the member, or `key` of the access key'),
  name: z.string().describe('Name of the key or the member at that time'),
});

/** One change that somebody made through the API. Names of fields only: no value a request carried is ever kept. */
export const AuditEntry = z.strictObject({
  id: z.int().positive().describe('Grows with each entry'),
  time: IsoTime.describe('When the change was made'),
  actor: AuditActor.describe('Who made it'),
  action: z
    .string()
    .describe('`created`, `replaced`, `changed`, `deleted`, or the name of the command, as in `stop` and `rotate`'),
  resource: z.string().describe('Kind of thing as its path names it, e.g. `api-keys`'),
  resource_id: z.string().nullable().describe('Id of the thing; null where there is none'),
  fields: z.array(z.string()).describe('Names of the fields that were sent; never their values'),
  request_id: z.string().describe('X-Request-Id of the request'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = pageOf(AuditEntry);
