import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  /** Within the archive, parts split by slashes. */
  path: string;
  /** A few bytes, or a stream of any length. */
  body: Buffer | Readable;
  /** false for what is compressed already. */
  compress?: boolean;
}

/**
 * A zip archive as a stream: an entry is asked for when the streams before it have been written, so that no more than pieces
 * of one are in memory. An error of an entry, or of the iterable, destroys the stream; destroying it ends the iterable.
 */
export function writeZip(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  // Its type is that of every readable stream; it is Node's.
  const output = zip.outputStream as Readable;
  const fail = (error: Error): void => void output.destroy(error);
  zip.on('error', fail);
  void addAll(zip, output, entries).catch(fail);
  return output;
}

async function addAll(
  zip: ZipFile,
  output: Readable,
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): Promise<void> {
  for await (const { path, body, compress = true } of entries) {
    if (Buffer.isBuffer(body)) {
      zip.addBuffer(body, path, { compress });
      continue;
    }
    // Whoever reads may go away, and then nobody takes what is left of the entry.
    const leave = (): void => void body.destroy();
    if (output.destroyed) leave();
    output.once('close', leave);
    const written = finished(body);
    zip.addReadStream(body, path, { compress });
    await written;
    output.off('close', leave);
  }
  zip.end();
}
