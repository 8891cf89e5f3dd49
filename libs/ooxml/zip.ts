import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile, type Options } from 'yazl';

/** The form of archives; `name` is what clients ask for. */
export const ZIP = { name: 'zip', mimeType: 'application/zip', extension: 'zip' } as const;

export interface ZipEntry {
  /** Within the archive, parts split by slashes. */
  path: string;
  /** A few bytes, or a stream of any length. */
  body: Buffer | Readable;
  /** false for what is compressed already. */
  compress?: boolean;
}

/** When every part of a document was written: as Office has it, the same content is the same bytes. Read in local time, as ZIP's are. */
const DOCUMENT_TIME = new Date(1980, 0, 1);

/** The parts of a document of Office Open XML as a stream, as of `writeZip`, whose bytes depend on nothing but the parts. */
export function writePackage(parts: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Readable {
  return zipped(parts, { mtime: DOCUMENT_TIME, forceDosTimestamp: true });
}

/**
 * A zip archive as a stream: an entry is asked for when the streams before it have been written, so that no more than pieces
 * of one are in memory. An error of an entry, or of the iterable, destroys the stream; destroying it ends the iterable.
 */
export function writeZip(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Readable {
  return zipped(entries, {});
}

/** When an entry was written: now, unless `mtime` says when; `forceDosTimestamp` leaves out the time in UTC. */
type Times = Partial<Pick<Options, 'mtime' | 'forceDosTimestamp'>>;

function zipped(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>, times: Times): Readable {
  const zip = new ZipFile();
  // Its type is that of every readable stream; it is Node's.
  const output = zip.outputStream as Readable;
  const fail = (error: Error): void => void output.destroy(error);
  zip.on('error', fail);
  void addAll(zip, output, entries, times).catch(fail);
  return output;
}

async function addAll(
  zip: ZipFile,
  output: Readable,
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  times: Times,
): Promise<void> {
  for await (const { path, body, compress = true } of entries) {
    if (Buffer.isBuffer(body)) {
      zip.addBuffer(body, path, { ...times, compress });
      continue;
    }
    // Whoever reads may go away, and then nobody takes what is left of the entry.
    const leave = (): void => void body.destroy();
    if (output.destroyed) leave();
    output.once('close', leave);
    const written = finished(body);
    zip.addReadStream(body, path, { ...times, compress });
    await written;
    output.off('close', leave);
  }
  zip.end();
}
