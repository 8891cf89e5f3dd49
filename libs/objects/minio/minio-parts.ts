import type { Readable } from 'node:stream';

const MEBIBYTE = 1 << 20;
const SMALL_PART = 8 * MEBIBYTE;
const LARGE_PART = 64 * MEBIBYTE;
/** S3 takes 10,000 parts: these are small, so that memory stays so for all but the longest films; the rest makes 570 GiB. */
const SMALL_PARTS = 1000;
export const MAX_PARTS = 10_000;

/** Bytes of the part `index` (0, 1, …) of an object whose size is not known. */
function sizeOfPart(index: number): number {
  return index < SMALL_PARTS ? SMALL_PART : LARGE_PART;
}

/**
 * Cuts a stream into parts, all of their full size but the last; an empty stream is one empty part. A part is overwritten
 * when the one after the next is asked for: two buffers are used in turn, however long the stream is. Throws what the
 * stream throws, also when it is destroyed before its end.
 */
export async function* parts(body: Readable): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  const buffers: (Buffer | undefined)[] = [];
  let index = 0;
  let filled = 0;
  // Most objects are far smaller than a part: what came so far is kept as it came until it is known not to be.
  let begun: Buffer[] = [];
  const current = () => {
    const size = sizeOfPart(index);
    const slot = index % 2;
    if (buffers[slot]?.length !== size) buffers[slot] = Buffer.allocUnsafe(size);
    return buffers[slot];
  };
  for await (const chunk of body) {
    let rest =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (index === 0 && filled + rest.length <= SMALL_PART) {
      begun.push(rest);
      filled += rest.length;
      continue;
    }
    if (begun.length > 0) {
      let at = 0;
      for (const piece of begun) at += piece.copy(current(), at);
      begun = [];
    }
    while (rest.length > 0) {
      const buffer = current();
      if (filled === buffer.length) {
        yield { bytes: buffer, last: false };
        index += 1;
        filled = 0;
        continue;
      }
      const copied = rest.copy(buffer, filled);
      filled += copied;
      rest = rest.subarray(copied);
    }
  }
  yield {
    bytes: begun.length > 0 ? Buffer.concat(begun) : filled === 0 ? Buffer.alloc(0) : current().subarray(0, filled),
    last: true,
  };
}
