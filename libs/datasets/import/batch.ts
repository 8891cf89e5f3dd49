import { randomBytes } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { mimeTypeOf, SNIFFED_BYTES, sniffBytes } from '@adit/media';
import type { ImportedClass, ImportedImage, ImportFault, ImportItem } from './import-item.js';

/** Limits of files, and of bytes to store, per batch. */
const MAX_ITEMS = 100;
const MAX_BYTES = 64 * 1024 ** 2;

/** A picture to store. */
export interface NewPicture {
  filename: string;
  key: string;
  bytes: Buffer;
  contentType: string;
}

export interface ReadyItem {
  name: string;
  class: ImportedClass;
  image: ImportedImage;
  file: { storageKey: string } | NewPicture;
}

export interface FaultyItem extends ImportFault {
  name: string;
}

/** Files that are imported in one transaction. */
export interface Batch {
  /** Cursor of the last one of them. */
  cursor: string;
  ready: ReadyItem[];
  faulty: FaultyItem[];
}

/** Reads files into batches; a file that is no picture becomes a fault. Other read errors are thrown. */
export async function* batches(items: AsyncIterable<ImportItem>): AsyncGenerator<Batch> {
  let batch: Batch = { cursor: '', ready: [], faulty: [] };
  let bytes = 0;
  for await (const item of items) {
    const read = await readItem(item);
    if ('code' in read) batch.faulty.push(read);
    else batch.ready.push(read);
    batch.cursor = item.cursor;
    if ('file' in read && 'bytes' in read.file) bytes += read.file.bytes.length;
    if (batch.ready.length + batch.faulty.length < MAX_ITEMS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = { cursor: '', ready: [], faulty: [] };
    bytes = 0;
  }
  if (batch.cursor !== '') yield batch;
}

async function readItem({ name, what }: ImportItem): Promise<ReadyItem | FaultyItem> {
  if ('fault' in what) return { name, ...what.fault };
  const { file } = what;
  if ('storageKey' in file) return { ...what, name, file };
  try {
    const bytes = await file.read();
    const contentType = await pictureType(bytes);
    // 15 random bytes are 20 characters of base64url, as for every file of the storage.
    const key = randomBytes(15).toString('base64url');
    return { ...what, name, file: { filename: file.filename, key, bytes, contentType } };
  } catch (error) {
    if (!(error instanceof AditError) || error.code !== 'MEDIA_INVALID') throw error;
    return { name, code: 'unreadable', message: error.message };
  }
}

/** Throws MEDIA_INVALID for other files. */
async function pictureType(bytes: Buffer): Promise<string> {
  const sniffed = await sniffBytes(bytes.subarray(0, SNIFFED_BYTES));
  const type = sniffed.kind === 'image' ? mimeTypeOf(sniffed) : null;
  if (type === null) throw new AditError('MEDIA_INVALID', `It is no picture (${sniffed.format}).`);
  return type;
}
