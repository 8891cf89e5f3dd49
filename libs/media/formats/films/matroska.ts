import type { FilmFormat } from './film-format.js';

/** Chapters, attachments (such as fonts) and subtitles of a file are ignored. */
export const MATROSKA: FilmFormat = {
  name: 'mkv',
  title: 'Matroska',
  sniffedAs: [],
  contentType: 'video/x-matroska',
  extensions: ['.mkv', '.mka'],
  demuxers: ['matroska'],
  begins: (head) => documentType(head) === 'matroska',
};

export const WEBM: FilmFormat = {
  name: 'webm',
  title: 'WebM',
  sniffedAs: [],
  contentType: 'video/webm',
  extensions: ['.webm'],
  demuxers: ['matroska'],
  begins: (head) => documentType(head) === 'webm',
};

/** Element ids of RFC 8794, 11.2. */
const [EBML, DOCUMENT_TYPE] = [0x1a45dfa3, 0x4282];
/** Elements of a header; the standard has nine. */
const MAX_ELEMENTS = 64;

/** Returns the document type that an EBML header states; null for other files. */
function documentType(head: Buffer): string | null {
  const header = elementOf(head, 0);
  if (header?.id !== EBML) return null;
  const end = Math.min(header.end, head.length);
  for (let at = header.start, count = 0; at < end && count < MAX_ELEMENTS; count++) {
    const element = elementOf(head, at);
    if (element === null) return null;
    if (element.id === DOCUMENT_TYPE) return head.toString('latin1', element.start, element.end).replace(/\0+$/, '');
    at = element.end;
  }
  return null;
}

/** Reads the id and size of the element at `at` (RFC 8794, 4 to 6); null where there is none. */
function elementOf(head: Buffer, at: number): { id: number; start: number; end: number } | null {
  const idBytes = lengthOf(head[at]);
  const sizeAt = at + idBytes;
  const sizeBytes = lengthOf(head[sizeAt]);
  const start = sizeAt + sizeBytes;
  if (idBytes > 4 || sizeBytes > 8 || start > head.length) return null;
  const digits = [head.readUInt8(sizeAt) % 2 ** (8 - sizeBytes), ...head.subarray(sizeAt + 1, start)];
  const size = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  return { id: head.readUIntBE(at, idBytes), start, end: start + size };
}

/** Returns the bytes of a number by the zeros that its first byte begins with: 1 to 9. */
function lengthOf(first = 0): number {
  return Math.clz32(first) - 23;
}
