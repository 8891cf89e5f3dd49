import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { AditClient, StorageEntry, Upload } from '@adit/client';
import { uploadProgress } from '../output/upload-progress.js';

/** Bytes from which on a file is sent so that a broken connection is no end of it. */
const LARGE = 8 << 20;

interface UploadOptions {
  /** Folder in the storage. */
  folder: string;
  /** Shows on stderr how far it is. */
  live: boolean;
  signal: AbortSignal;
}

/** Uploads a file of this machine; its address is a source of jobs and imports. */
export async function uploadFile(
  client: AditClient,
  path: string,
  { folder, live, signal }: UploadOptions,
): Promise<StorageEntry & { url: string }> {
  const file = await openAsBlob(path);
  const name = storedName(path);
  const options = { folder, name, signal, ...(live && { onProgress: uploadProgress(name, process.stderr) }) };
  const entry =
    file.size < LARGE ? await client.storage.upload(file, options) : await uploadLarge(client, file, options);
  if (entry.url === null) throw new Error(`${path} was uploaded and has no address.`);
  return { ...entry, url: entry.url };
}

/** The name of a file as a storage takes it: one with a line break in it is no reason to leave a folder alone. */
export function storedName(path: string): string {
  return basename(path).replace(/[\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_');
}

/** A broken connection costs no more than what was on its way; an interruption leaves nothing behind. */
async function uploadLarge(client: AditClient, file: Blob, options: Upload): Promise<StorageEntry> {
  let begun: number | undefined;
  try {
    return await client.storage.uploadResumably(file, { ...options, onBegun: (id) => (begun = id) });
  } catch (error) {
    // Nobody could go on with it: the next command has a folder of its own.
    if (begun !== undefined) await client.storage.abandon(begun).catch(() => undefined);
    throw error;
  }
}
