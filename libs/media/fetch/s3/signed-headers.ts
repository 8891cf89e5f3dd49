import { createHash, createHmac } from 'node:crypto';
import type { BucketAccess } from './bucket-object.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const NO_BODY = createHash('sha256').digest('hex');

/**
 * Returns the headers of a GET request without a query, with its signature in `authorization` (AWS Signature Version 4
 * as S3 wants it: the path is not encoded a second time).
 * @param more - headers to sign beside those that are needed, named in lower case
 */
export function signedHeaders(
  url: URL,
  { region, accessKey, secretKey }: Pick<BucketAccess, 'region' | 'accessKey' | 'secretKey'>,
  time: Date,
  more: Record<string, string> = {},
): Record<string, string> {
  const stamp = time.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = [stamp.slice(0, 8), region, 's3', 'aws4_request'];
  const sent = { ...more, 'x-amz-content-sha256': NO_BODY, 'x-amz-date': stamp };
  const signed = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const request = ['GET', url.pathname, '', lines, names, NO_BODY].join('\n');
  const text = [ALGORITHM, stamp, scope.join('/'), createHash('sha256').update(request).digest('hex')].join('\n');
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`));
  const credential = `${accessKey}/${scope.join('/')}`;
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`,
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
