import { AditError } from '@adit/contracts';
import { MAX_MANIFEST_BYTES } from '../manifest.js';

/** Strips the byte order mark of a list. Throws MEDIA_INVALID for UTF-16. */
export function withoutMark(path: string, bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') throw new AditError('MEDIA_INVALID', `${path} is UTF-16: save it as UTF-8.`);
  return bytes.subarray(0, 3).toString('hex') === 'efbbbf' ? bytes.subarray(3) : bytes;
}

/** Throws TOO_LARGE for lists that have too many bytes together. */
export function refuseLongLists(sizes: readonly number[]): void {
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_MANIFEST_BYTES) return;
  throw new AditError(
    'TOO_LARGE',
    `The lists have more than ${MAX_MANIFEST_BYTES} bytes together: import them in parts.`,
  );
}
