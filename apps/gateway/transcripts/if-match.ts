import { AditError } from '@adit/contracts';

/** `"7"` or `W/"7-3"`: the version something was changed in, and what else its ETag says. */
const TAG = /^(?:W\/)?"(\d{1,9})(?:-[^"]*)?"$/;

/**
 * Tells whether the version that something is at is the one that `If-Match` names; null where there is no such header. ETags that are
 * weak count too: those of JSON are, as it may be compressed. Throws VALIDATION for what is no ETag of ours.
 */
export function ifMatch(header: string | undefined): ((version: number) => boolean) | null {
  if (header === undefined) return null;
  if (header.trim() === '*') return () => true;
  const versions = header.split(',').map((tag) => {
    const [, version] = TAG.exec(tag.trim()) ?? [];
    if (version !== undefined) return Number(version);
    const message = 'If-Match takes the ETag that was read, or a revision in quotes: "7".';
    throw new AditError('VALIDATION', message, { errors: [{ pointer: '', code: 'invalid_header', message }] });
  });
  return (version) => versions.includes(version);
}

/** The ETag of what is at a version. */
export function etagOf(version: number, more?: number): string {
  return `W/"${version}${more === undefined ? '' : `-${more}`}"`;
}
