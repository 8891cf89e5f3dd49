/** `Cache-Control`: a client may keep it for itself, and asks each time whether it is still the same. */
export const REVALIDATED = 'private, no-cache';

/** Tells whether If-None-Match names the ETag (without its quotes), compared weakly as RFC 9110 wants it. */
export function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(`"${etag}"`);
}
