import { AditError } from '@adit/contracts';

/** Headers of tus 1.0.0, the protocol for resumable uploads (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,creation-with-upload,expiration,termination';
/** Content type of a part of an upload. */
export const OFFSET_STREAM = 'application/offset+octet-stream';

type Headers = Record<string, string | string[] | undefined>;

/** Throws PRECONDITION_FAILED unless the client speaks this version. */
export function requireTus(headers: Headers): void {
  if (headers['tus-resumable'] === TUS_VERSION) return;
  throw new AditError('PRECONDITION_FAILED', `Send the header Tus-Resumable: ${TUS_VERSION}.`);
}

/** Bytes that a header tells; null when it is not sent. Throws VALIDATION for what is no number of bytes. */
export function bytesIn(headers: Headers, name: 'Upload-Length' | 'Upload-Offset' | 'Content-Length'): number | null {
  const text = headers[name.toLowerCase()];
  if (text === undefined) return null;
  const bytes = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(bytes)) return bytes;
  throw invalid(name, `${name} is a number of bytes.`);
}

/**
 * `Upload-Metadata`: pairs of a key and a value in base64, joined by commas; a key may stand alone. Throws VALIDATION for
 * anything else, for a key that comes twice and for values that are no UTF-8.
 */
export function parseMetadata(header: string | string[] | undefined): Map<string, string> {
  const metadata = new Map<string, string>();
  if (header === undefined || header === '') return metadata;
  for (const pair of String(header).split(',')) {
    const match = /^ *([\x21-\x2b\x2d-\x7e]+)(?: ([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair);
    const [, key, encoded = ''] = match ?? [];
    if (key === undefined || metadata.has(key)) {
      throw invalid('Upload-Metadata', 'Upload-Metadata is pairs of a key and a value in base64, joined by commas.');
    }
    metadata.set(key, utf8(Buffer.from(encoded, 'base64')));
  }
  return metadata;
}

/** The header that `parseMetadata` reads. */
export function formatMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`.trimEnd())
    .join(',');
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const message = 'The values of Upload-Metadata are UTF-8 in base64.';
    throw new AditError('VALIDATION', message, {
      cause,
      errors: [{ pointer: 'Upload-Metadata', code: 'utf8', message }],
    });
  }
}

function invalid(header: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: header, code: 'invalid_header', message }] });
}

/** Throws NOT_IMPLEMENTED, by name, for what of tus is not spoken here. */
export function refuseUnspoken(headers: Headers): void {
  const unspoken = [
    ['upload-concat', 'Upload-Concat (the extension concatenation)'],
    ['upload-defer-length', 'Upload-Defer-Length (the extension creation-defer-length); send Upload-Length'],
    ['upload-checksum', 'Upload-Checksum (the extension checksum)'],
  ].find(([name = '']) => headers[name] !== undefined);
  if (unspoken === undefined) return;
  const [name = '', what] = unspoken;
  const message = `Not spoken here: ${what}. Extensions: ${TUS_EXTENSIONS}.`;
  throw new AditError('NOT_IMPLEMENTED', message, { errors: [{ pointer: name, code: 'not_implemented', message }] });
}
