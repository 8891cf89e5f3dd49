import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { AditError, errorMessage } from '@adit/contracts';
import { TimeSlice } from '@adit/runtime';
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from 'yauzl';

/** Reads bytes `start` to `end`, both inclusive. */
export type ReadBytes = (start: number, end: number) => Promise<Buffer>;

/** Bytes per read: neighbours in an archive are requested in sequence. */
const WINDOW = 4 << 20;
/** Largest compression ratio of bigger files, to stop decompression bombs; pictures are already compressed. */
const MAX_RATIO = 100;
const UNSUSPICIOUS_BYTES = 1 << 20;
/** Mode bits of the file type. */
const KIND = 0o170000;
const LINK = 0o120000;
/** Entry flag: its name is UTF-8. */
const UTF8_NAME = 0x800;
/** Limit of a compressed nested archive, which is unpacked in memory; stored ones are read in place. */
const MAX_INNER_BYTES = 64 << 20;

/** A file in a zip archive. */
export interface ZipMember {
  /** In the archive's order, from 0. */
  index: number;
  entry: Entry;
  /** Path separated by slashes, without empty and `.` parts. */
  path: string;
}

/** Bytes in remote storage. */
export interface StoredBytes {
  read: ReadBytes;
  size: number;
}

/** A remote zip archive, read in windows. Nothing is ever written, whatever its names say. One reader at a time. */
export class StoredZip {
  private constructor(
    private readonly zip: ZipFile,
    private readonly source: ReadBytes,
  ) {}

  /**
   * `size` is that of the archive in bytes. Throws MEDIA_INVALID for an invalid archive; errors of `read` are rethrown.
   */
  static async open(read: ReadBytes, size: number): Promise<StoredZip> {
    const reader = new WindowReader(read, size);
    const options = { autoClose: false, decodeStrings: false };
    return new StoredZip(await broken(fromRandomAccessReaderPromise(reader, size, options)), read);
  }

  /** Number of files and folders it announces. */
  get entries(): number {
    return this.zip.entryCount;
  }

  /** Yields its files, without folders, once, in time slices. Throws MEDIA_INVALID for a broken archive. */
  async *members(): AsyncGenerator<ZipMember> {
    let index = 0;
    const entries = this.zip.eachEntry();
    // The directory is in memory, so its promises resolve immediately.
    for (const slice = new TimeSlice(); ;) {
      if (slice.isOver) await slice.rest();
      const next = await broken(entries.next());
      if (next.done === true) return;
      const entry = next.value;
      const name = nameOf(entry);
      if (!name.endsWith('/')) yield { index, entry, path: plainPath(name) };
      index += 1;
    }
  }

  /**
   * Returns the bytes of a member, at most `most`. Throws MEDIA_INVALID for a link, an encrypted or damaged member, and
   * for one that announces or has more bytes, or too high a compression ratio.
   */
  async read({ entry }: ZipMember, most: number): Promise<Buffer> {
    const { uncompressedSize: size, compressedSize: packed } = entry;
    refuseUnreadable(entry);
    if (!entry.canDecodeFileData()) throw refused('It is packed in a way that is not read here: use deflate.');
    if (size > most) throw refused(`It has ${size} bytes, at most ${most} are taken.`);
    if (size > UNSUSPICIOUS_BYTES && size / packed > MAX_RATIO) {
      throw refused(`It unpacks to more than ${MAX_RATIO} times its size, as no picture does.`);
    }
    // Never more bytes than it announces.
    const bytes = await broken(this.zip.openReadStreamPromise(entry).then(buffer));
    if (crc32(bytes) !== entry.crc32) throw refused('It is damaged: its checksum is wrong.');
    return bytes;
  }

  /**
   * Opens a nested archive, read in place, or unpacked in memory when it is compressed. Throws MEDIA_INVALID as `read`,
   * and for a compressed one that is too large for memory.
   */
  async inner(member: ZipMember): Promise<StoredBytes> {
    const { entry, path } = member;
    const { uncompressedSize: size, compressedSize: packed } = entry;
    try {
      if (entry.compressionMethod !== 0) {
        if (size > MAX_INNER_BYTES) {
          throw refused(`It was packed again, and has more than ${MAX_INNER_BYTES} bytes: upload it by itself.`);
        }
        const bytes = await this.read(member, MAX_INNER_BYTES);
        return { read: (start, end) => Promise.resolve(bytes.subarray(start, end + 1)), size };
      }
      refuseUnreadable(entry);
      if (size !== packed) throw refused('The archive cannot be read: its sizes differ.');
      const { fileDataStart: from } = await broken(this.zip.readLocalFileHeaderPromise(entry, { minimal: true }));
      return { read: (start, end) => this.source(from + start, from + end), size };
    } catch (error) {
      if (error instanceof AditError && error.code === 'MEDIA_INVALID') throw refused(`${path}: ${error.message}`);
      throw error;
    }
  }
}

function refuseUnreadable(entry: Entry): void {
  if (((entry.externalFileAttributes >>> 16) & KIND) === LINK) throw refused('It is a link.');
  if (entry.isEncrypted()) throw refused('It is encrypted.');
}

/** Finder and others write UTF-8 without the flag; other code pages are hardly ever valid UTF-8 by chance. */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: Entry): string {
  return getFileNameLowLevel(isUtf8(raw) ? flags | UTF8_NAME : flags, raw, extraFields, false);
}

/** `./a//b` is `a/b`; a leading slash stays, and is a fault. */
function plainPath(name: string): string {
  return name
    .split('/')
    .filter((part, at) => part !== '.' && (part !== '' || at === 0))
    .join('/');
}

/** Reader with a window, so that repeated reads cost nothing. */
class WindowReader extends RandomAccessReader {
  private window: { start: number; bytes: Promise<Buffer> } | null = null;

  constructor(
    private readonly source: ReadBytes,
    private readonly size: number,
  ) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false });
  }

  override read(into: Buffer, offset: number, length: number, at: number, done: (error: Error | null) => void): void {
    this.copy(into, offset, length, at).then(
      () => done(null),
      (error: Error) => done(error),
    );
  }

  private async copy(into: Buffer, offset: number, length: number, at: number): Promise<void> {
    let place = offset;
    for await (const piece of this.pieces(at, at + length)) place += piece.copy(into, place);
    if (place < offset + length) throw refused('The archive ends too early.');
  }

  /** Yields bytes from `start` to the one before `end`. */
  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < Math.min(end, this.size);) {
      const piece = await this.from(at);
      if (piece.length === 0) throw refused('The archive ends too early.');
      yield piece.subarray(0, end - at);
      at += piece.length;
    }
  }

  /** Returns bytes from a position on, at least one. */
  private async from(at: number): Promise<Buffer> {
    const start = at - (at % WINDOW);
    if (this.window?.start !== start) {
      this.window = { start, bytes: this.source(start, Math.min(start + WINDOW, this.size) - 1) };
    }
    return (await this.window.bytes).subarray(at - start);
  }
}

/** Converts errors of yauzl for a client; errors of the reader are rethrown. */
async function broken<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AditError) throw error;
    throw refused(`The archive cannot be read: ${errorMessage(error) ?? String(error)}.`);
  }
}

function refused(message: string): AditError {
  return new AditError('MEDIA_INVALID', message);
}
