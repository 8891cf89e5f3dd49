import { z } from 'zod';
import { ExportStrategy } from './batch.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Rights that an access key may give its end users: `write` does not imply `read`. */
export const AccessScope = z.enum(['transcript.read', 'transcript.write', 'export.read', 'export.write']);
export type AccessScope = z.infer<typeof AccessScope>;

/** Lets a third party sign tokens for its end users. `key` is its identifier, no secret. */
export const AccessKey = z.strictObject({
  key: z.string().describe('Identifies the access key, and stands before the dot of its tokens; no secret'),
  name: z.string().describe('Name that its owner gave it'),
  type: z.literal('jwt').describe('Always `jwt`: its tokens are JSON Web Tokens'),
  scopes: z.array(AccessScope).describe('Rights of its tokens'),
  export_strategies: z
    .array(ExportStrategy)
    .describe('The exports that its export scopes reach; `transcript_export` is always one of them'),
  time_created: IsoTime.describe('When it was created'),
});
export type AccessKey = z.infer<typeof AccessKey>;

/** An access key at its creation: the secret is shown this once. */
export const CreatedAccessKey = AccessKey.extend({
  secret: z.string().describe('Signs the tokens; shown this once, never again'),
});
export type CreatedAccessKey = z.infer<typeof CreatedAccessKey>;

export const AccessKeyPage = pageOf(AccessKey);
