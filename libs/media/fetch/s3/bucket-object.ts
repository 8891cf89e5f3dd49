import { isIP } from 'node:net';
import { AditError, BucketName } from '@adit/contracts';
import { webAddressFault, type WebPolicy } from '@adit/net';

/** An object of an S3 store. */
export interface BucketObject {
  bucket: string;
  key: string;
}

/** What opens a bucket. */
export interface BucketAccess {
  /** Scheme, host and port of the store. */
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** Whether the bucket stands in the path, not in the host name. */
  pathStyle: boolean;
}

/** The limit of S3. */
const MAX_KEY_BYTES = 1024;

/**
 * Reads `s3://bucket/key`, whose key is percent-encoded where an address cannot hold it. Throws VALIDATION for anything
 * else, and for keys with the segments `.` and `..`, which no web address can hold.
 */
export function parseBucketObject(uri: string): BucketObject {
  const [, bucket = '', encoded = ''] = /^s3:\/\/([^/]*)\/(.+)$/i.exec(uri) ?? [];
  if (!BucketName.safeParse(bucket).success)
    throw invalid('the bucket has 3 to 63 lower-case letters, digits, dots and hyphens');
  if (/[?#]/.test(encoded)) throw invalid('? and # in a key are written %3F and %23');
  const key = decoded(encoded);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw invalid(`a key has at most ${MAX_KEY_BYTES} bytes`);
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw invalid('a key holds no . and .. as a folder');
  return { bucket, key };
}

/** Returns the address that a source has, for errors. */
export function shownObject({ bucket, key }: BucketObject): URL {
  return new URL(`s3://${bucket}/${pathOf(key)}`);
}

/** Web address of an object. */
export function objectAddress({ endpoint, pathStyle }: BucketAccess, { bucket, key }: BucketObject): URL {
  const { protocol, host } = new URL(endpoint);
  const path = pathOf(key);
  return new URL(pathStyle ? `${protocol}//${host}/${bucket}/${path}` : `${protocol}//${bucket}.${host}/${path}`);
}

/** Returns why an endpoint cannot serve a bucket, fit to follow "is refused:"; null if it can. Connects to nothing. */
export function endpointFault(endpoint: string, pathStyle: boolean, policy: WebPolicy): string | null {
  const url = new URL(endpoint);
  const fault = webAddressFault(url, policy);
  if (fault !== null) return fault;
  const { pathname, search, hash, hostname } = url;
  if (pathname !== '/' || search !== '' || hash !== '') return 'it has a scheme, a host and a port, and no path';
  if (pathStyle || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0) return null;
  return 'an IP address cannot have the bucket in front of it; set path_style';
}

/** Encodes a key as S3 signs it: everything but slashes and the unreserved characters of RFC 3986. */
function pathOf(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign in a key is written %25');
  }
}

function invalid(reason: string): AditError {
  return new AditError('VALIDATION', `A source in a bucket is written s3://BUCKET/KEY: ${reason}.`);
}
