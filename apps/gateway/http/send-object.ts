import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import type { ByteRange, ObjectStore } from '@adit/objects';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from './etags.js';

export interface SentFile {
  /** Its bytes, or those of a range. */
  open(range?: ByteRange): Promise<Readable>;
  filename: string;
  contentType: string | null;
  /** Bytes. */
  size: number;
  /** A strong validator, or null. */
  etag: string | null;
  disposition: 'attachment' | 'inline';
}

export type SentObject = Omit<SentFile, 'open'> & { key: string };

/** Streams an object of the store; see `sendFile`. */
export function sendObject(
  objects: ObjectStore,
  { key, ...file }: SentObject,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendFile({ ...file, open: (range) => objects.get(key, range) }, request, reply);
}

/**
 * Streams a file, or the one range that was asked for (RFC 9110, section 14). Several ranges give the whole. If-None-Match
 * and If-Range are honoured.
 */
export async function sendFile(file: SentFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { size, etag, contentType, disposition, filename } = file;
  reply.headers({
    'accept-ranges': 'bytes',
    'content-type': contentType ?? 'application/octet-stream',
    'content-disposition': `${disposition}; filename="${asciiName(filename)}"; filename*=UTF-8''${encodeRfc5987(filename)}`,
    ...(etag === null ? {} : { etag: `"${etag}"` }),
  });
  if (etag !== null && isKnown(request.headers['if-none-match'], etag)) return reply.status(304).send();
  const unchanged = request.headers['if-range'] === undefined || request.headers['if-range'] === `"${etag}"`;
  // Ranges are defined for GET alone.
  const range = unchanged && request.method === 'GET' ? parseRange(request.headers.range, size) : null;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`);
    throw new AditError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes.`);
  }
  if (range === null) {
    return reply.header('content-length', size).send(await body(file, request));
  }
  return reply
    .status(206)
    .headers({
      'content-range': `bytes ${range.start}-${range.end}/${size}`,
      'content-length': range.end - range.start + 1,
    })
    .send(await body(file, request, range));
}

/** HEAD is answered without opening a file that nobody will read. */
async function body(file: SentFile, request: FastifyRequest, range?: ByteRange): Promise<Readable> {
  return request.method === 'HEAD' ? Readable.from([]) : file.open(range);
}

/** Null when the whole is to be sent. */
function parseRange(header: string | undefined, size: number): Required<ByteRange> | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const last = size - 1;
  if (match[1] === '') {
    const suffix = Math.min(Number(match[2]), size);
    return suffix === 0 ? 'unsatisfiable' : { start: size - suffix, end: last };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? last : Math.min(Number(match[2]), last);
  if (match[2] !== '' && Number(match[2]) < start) return null;
  return start > last ? 'unsatisfiable' : { start, end };
}

function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
