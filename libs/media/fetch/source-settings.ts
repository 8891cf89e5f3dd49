import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Limits on source addresses, checked when a job is posted and again when a source is fetched. */
export const SourceSettings = z.object({
  localRoots: setting(
    'ADIT_LOCAL_ROOTS',
    z.array(z.string()).default([]),
    'Folders that local paths in a job may lie under; none allows no local paths.',
  ),
  allowHttp: setting(
    'ADIT_ALLOW_HTTP',
    z.boolean().default(false),
    'Whether http:// sources are fetched, not only https://.',
  ),
  allowPrivateAddresses: setting(
    'ADIT_ALLOW_PRIVATE_ADDRESSES',
    z.array(z.string()).default([]),
    'Networks in CIDR form that sources may be fetched from although they are not public.',
  ),
});
