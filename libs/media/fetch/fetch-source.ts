import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import type { ResolveHost } from '@adit/net';
import { fetchLocal } from './local.js';
import { fetchPlatform } from './platform.js';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from './private-file.js';
import { parseSource, type SourcePolicy } from './source-uri.js';
import { fetchWeb } from './web.js';

export interface FetchOptions extends SourcePolicy, CopyLimits {
  /** Opens an uploaded object. Throws NOT_FOUND or SOURCE_REFUSED when there is none. */
  openStorage(key: string): Promise<{ stream: Readable; size: number }>;
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
}

/**
 * Fetches a source into a private file of this machine, the only file ffmpeg ever opens, and computes its digest.
 * Throws VALIDATION or SOURCE_REFUSED for a source that may not be fetched, TOO_LARGE, LIMIT_EXCEEDED, or
 * SOURCE_UNAVAILABLE when a retry may help.
 */
export async function fetchSource(uri: string, options: FetchOptions): Promise<FetchedSource> {
  const source = parseSource(uri, options);
  options.signal?.throwIfAborted();
  switch (source.kind) {
    case 'storage':
      return fetchStored(source.key, options);
    case 'local':
      return fetchLocal(source.path, options.localRoots, options);
    case 'web':
      return fetchWeb(source.url, options, options, options.resolveHost);
    case 'platform':
      return fetchPlatform(source.url, options);
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
