import { setting } from '@adit/runtime';
import { z } from 'zod';

/** How much the index collections of a workspace may hold. */
export const IndexSettings = z.object({
  maxIndexCollections: setting(
    'ADIT_MAX_INDEX_COLLECTIONS',
    z.int().positive().max(1_000_000).default(1_000),
    'Index collections that one workspace may have, the one that is there from the start included.',
  ),
  maxIdentities: setting(
    'ADIT_MAX_IDENTITIES',
    z.int().positive().max(100_000_000).default(1_000_000),
    'Identities that one index collection may have. Beyond, who is new stays unknown, and the job’s errors say so.',
  ),
});
export type IndexSettings = z.infer<typeof IndexSettings>;
