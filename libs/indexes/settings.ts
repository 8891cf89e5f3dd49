import { setting } from '@adit/runtime';
import { z } from 'zod';
import { INDEX_MEMORY_BYTES } from './nearest/choose.js';

/** Quotas of a workspace's index collections, and memory for searching. */
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
  indexMemoryBytes: setting(
    'ADIT_INDEX_MEMORY_BYTES',
    z.int().nonnegative().default(INDEX_MEMORY_BYTES),
    'Memory that each gateway and aggregator may keep large index collections in, 94 bytes an identity: what is not there is searched by pgvector alone, which is slower. 0 keeps none.',
  ),
});
export type IndexSettings = z.infer<typeof IndexSettings>;
