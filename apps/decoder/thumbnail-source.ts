import { createWriteStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import type { StorageEntryEntity } from '@adit/database';
import { openStoredFile } from '@adit/storage';
import type { ObjectStore } from '@adit/objects';
import type { EntityManager } from 'typeorm';

const MEBIBYTE = 1 << 20;

interface ThumbnailLimits {
  /** Size in bytes up to which a file is fetched whole. */
  whole: number;
  /** Longer films: bytes of the beginning, and of the end, where some formats keep their index. */
  head: number;
  tail: number;
  /** Bytes of sound, which a waveform shows completely. */
  sound: number;
}

const THUMBNAIL_LIMITS: ThumbnailLimits = {
  whole: 128 * MEBIBYTE,
  head: 64 * MEBIBYTE,
  tail: 32 * MEBIBYTE,
  sound: 2048 * MEBIBYTE,
};

/**
 * Fetches as much of an uploaded file to a private path as its thumbnail needs. Returns the usable seconds of a film.
 * Throws MEDIA_INVALID for a file that is too large.
 */
export async function fetchForThumbnail(
  manager: EntityManager,
  objects: ObjectStore,
  entry: StorageEntryEntity,
  path: string,
  { whole, head, tail, sound }: ThumbnailLimits = THUMBNAIL_LIMITS,
): Promise<{ posterSeconds: number }> {
  const size = Number(entry.size);
  const kind = entry.contentType?.split('/')[0];
  const copy = async (start: number, end: number): Promise<void> => {
    const bytes = await openStoredFile(manager, objects, entry, { start, end: end - 1 });
    await pipeline(bytes, createWriteStream(path, { flags: start === 0 ? 'w' : 'r+', start, mode: 0o600 }));
  };
  if (size === 0) throw new AditError('MEDIA_INVALID', 'The file is empty.');
  if (size <= Math.max(whole, kind === 'audio' ? sound : 0)) {
    await copy(0, size);
    return { posterSeconds: 30 };
  }
  if (kind === 'audio' || kind === 'image' || entry.contentType === 'application/pdf') {
    throw new AditError('MEDIA_INVALID', `The file has ${size} bytes, which is too much for a thumbnail.`);
  }
  await copy(0, head);
  await truncate(path, size);
  await copy(size - tail, size);
  return { posterSeconds: 3 };
}
