import { z } from 'zod';
import { pageOf } from './pagination.js';
import { IsoTime } from './time.js';

/** The key that was used. */
export const AuditActor = z.strictObject({
  kind: z.enum(['api-key', 'access-key']),
  id: z.string(),
  /** The key's name at that time. */
  name: z.string(),
});

/** One change that somebody made through the API. Names of fields only: no value a request carried is ever kept. */
export const AuditEntry = z.strictObject({
  id: z.int().positive(),
  time: IsoTime,
  actor: AuditActor,
  /** `created`, `replaced`, `changed`, `deleted`, or the name of the command, as in `stop` and `rotate`. */
  action: z.string(),
  /** The kind of thing as its path names it, e.g. `api-keys`. */
  resource: z.string(),
  resource_id: z.string().nullable(),
  /** Names of the fields that were sent. */
  fields: z.array(z.string()),
  request_id: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = pageOf(AuditEntry);
