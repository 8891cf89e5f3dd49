import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { fetchLocal } from './fetch/local.js';
import { fetchPlatform } from './fetch/platform/fetch-platform.js';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from './fetch/private-file.js';
import type { BucketAccess, BucketObject } from './fetch/s3/bucket-object.js';
import { fetchObject } from './fetch/s3/fetch-object.js';
import { parseSource } from './fetch/source-uri.js';
import { fetchWeb, type WebOptions } from './fetch/web.js';
import { onlyProgramme } from './programmes/only-programme.js';
import { DashClient } from './stream/dash/dash-client.js';
import { HlsClient } from './stream/hls/hls-client.js';
import { fetchSegments } from './stream/segments/segment-film.js';

export interface FetchOptions extends WebOptions, CopyLimits {
  /** Opens an uploaded object. Throws NOT_FOUND or SOURCE_REFUSED when there is none. */
  openStorage(key: string): Promise<{ stream: Readable; size: number }>;
  /** Programme of a transport stream to fetch alone; left out: the whole file. */
  program?: number;
  /** Returns what opens a bucket. Throws SOURCE_REFUSED when nothing does. Without it no bucket is read. */
  accessBucket?(bucket: string): Promise<BucketAccess>;
}

/**
 * Fetches a source into a private file of this machine, the only file ffmpeg ever opens, and computes its digest.
 * Throws VALIDATION or SOURCE_REFUSED for a source that may not be fetched, TOO_LARGE, LIMIT_EXCEEDED, MEDIA_INVALID
 * for a programme that it does not have, or SOURCE_UNAVAILABLE when a retry may help.
 */
export async function fetchSource(uri: string, options: FetchOptions): Promise<FetchedSource> {
  const whole = await fetchWhole(uri, options);
  const { program } = options;
  return program === undefined ? whole : onlyProgramme(whole, program, options);
}

async function fetchWhole(uri: string, options: FetchOptions): Promise<FetchedSource> {
  const source = parseSource(uri, options);
  options.signal?.throwIfAborted();
  switch (source.kind) {
    case 'storage':
      return fetchStored(source.key, options);
    case 'local':
      return fetchLocal(source.path, options.localRoots, options);
    case 'web':
      return fetchWeb(source.url, options, options);
    case 'bucket':
      return fetchFromBucket(source, options);
    case 'platform':
      return fetchPlatform(source.url, options);
    case 'live':
      if (source.protocol === 'hls') return fetchSegments(options, (of) => new HlsClient(source.url, of));
      if (source.protocol === 'dash') return fetchSegments(options, (of) => new DashClient(source.url, of));
      throw new AditError('SOURCE_REFUSED', `Sources over ${source.protocol.toUpperCase()} are not supported yet.`);
  }
}

async function fetchStored(key: string, options: FetchOptions): Promise<FetchedSource> {
  const { stream, size } = await options.openStorage(key);
  try {
    if (size > options.maxBytes) throw tooLarge(options.maxBytes);
    const copy = await copyToPrivateFile(stream, options);
    if (copy.size === size) return copy;
    await rm(copy.path, { force: true });
    throw new AditError('UNAVAILABLE', `storage://${key} ended after ${copy.size} of ${size} bytes.`);
  } finally {
    stream.destroy();
  }
}

async function fetchFromBucket(object: BucketObject, options: FetchOptions): Promise<FetchedSource> {
  if (options.accessBucket === undefined) {
    throw new AditError('SOURCE_REFUSED', 'Objects of buckets (s3://…) are not read here.');
  }
  return fetchObject(object, await options.accessBucket(object.bucket), options, options);
}
