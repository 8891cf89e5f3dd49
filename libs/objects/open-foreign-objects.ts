import { AditError } from '@adit/contracts';
import { ForeignFolder } from './foreign-folder.js';
import type { ForeignObjects, ForeignServer } from './foreign-objects.js';

/** Where: `s3://bucket/prefix`, or `file:///folder`. */
export const FOREIGN_ADDRESS =
  /^(s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*\/?|file:\/\/\/\S+)$/;

/** Nothing is sent yet. Throws VALIDATION for an address that is none, or a bucket without a server. */
export async function openForeignObjects(address: string, server: ForeignServer | null): Promise<ForeignObjects> {
  if (!FOREIGN_ADDRESS.test(address)) {
    throw new AditError('VALIDATION', `${address} is neither s3://bucket/prefix nor file:///folder.`);
  }
  const { protocol, hostname, pathname } = new URL(address);
  if (protocol === 'file:') return new ForeignFolder(decodeURIComponent(pathname));
  if (server === null) throw new AditError('VALIDATION', `${address} needs the address and the keys of its server.`);
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  // The client is a tenth of what a process loads at its start.
  const { ForeignBucket } = await import('./foreign-bucket.js');
  return new ForeignBucket(server, hostname, prefix === '' ? '' : `${prefix}/`);
}
