import { createHash } from 'node:crypto';

/** 20 URL-safe characters that the id of what a request makes determines: for what goes by another sort of id. */
export function shortIdOf(newId: string): string {
  // 15 bytes of base64url.
  return createHash('sha256').update(newId).digest().subarray(0, 15).toString('base64url');
}
