import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { PassThrough, Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AditError } from '@adit/contracts';
import { Parser, type ReadEntry } from 'tar';
import { open as openZip, type Entry, type ZipFile } from 'yauzl';

export interface ArchiveLimits {
  /** Limit of unpacked bytes of all files together. */
  maxBytes: number;
  /** Limit of files and folders. */
  maxEntries: number;
}

/** Deepest nesting of a file. */
const DEPTH = 4;
/** Bytes of a tar archive beside its files: headers and padding per entry, and padding at the end. */
const TAR_BYTES = { entry: 16 << 10, end: 1 << 20 };
/** First byte of gzip data, with which no name begins. */
const GZIP = 0x1f;
/** Mode bits of the file type. */
const KIND = 0o170000;
const LINK = 0o120000;

/**
 * Unpacks a zip or tar archive (gzipped or not) into an empty folder and returns the absolute path of its one ONNX
 * file; null for another format. Nothing is written outside of the folder or beyond the limits, and no links are
 * created. Throws VALIDATION for an archive that cannot be unpacked, or with no model or several, TOO_LARGE.
 */
export async function unpackModel(path: string, folder: string, limits: ArchiveLimits): Promise<string | null> {
  const kind = await kindOf(path);
  if (kind === null) return null;
  const unpacking = new Unpacking(folder, limits);
  try {
    await (kind === 'zip' ? unzip(path, unpacking) : untar(path, kind === 'tar.gz', unpacking, limits));
  } catch (error) {
    if (error instanceof AditError) throw error;
    throw refused(`The archive cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const graphs = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.onnx'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
  const [graph, ...others] = graphs;
  if (graph === undefined) throw refused('The archive holds no ONNX file.');
  if (others.length > 0)
    throw refused(`The archive holds several ONNX files (${graphs.slice(0, 5).join(', ')}): send one.`);
  return join(folder, graph);
}

/** Writes the entries of an archive within its limits. */
class Unpacking {
  private bytes = 0;
  private entries = 0;
  private readonly written = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly limits: ArchiveLimits,
  ) {}

  /** Returns the path of an entry; null for a folder. */
  place(name: string, isFolder: boolean): string | null {
    this.entries += 1;
    if (this.entries > this.limits.maxEntries)
      throw tooLarge(`The archive has more than ${this.limits.maxEntries} entries.`);
    const parts = name
      .replace(/^(\.\/)+/, '')
      .replace(/\/+$/, '')
      .split('/');
    const isPlain = parts.every((part) => /^[\w][\w .+@-]{0,120}$/.test(part)) && parts.length <= DEPTH + 1;
    if (isFolder && (isPlain || parts.join('') === '' || parts.join('') === '.')) return null;
    if (!isPlain) {
      throw refused(
        `The archive names ${JSON.stringify(name.slice(0, 100))}: paths in it are relative, without "..", of plain letters, at most ${DEPTH} folders deep.`,
      );
    }
    const path = join(this.folder, ...parts);
    if (this.written.has(path)) throw refused(`The archive has ${parts.join('/')} twice.`);
    this.written.add(path);
    return path;
  }

  async write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(this.bounded(content), createWriteStream(path, { flags: 'wx' }));
  }

  private async *bounded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      this.bytes += piece.length;
      if (this.bytes > this.limits.maxBytes)
        throw tooLarge(`The archive holds more than ${this.limits.maxBytes} bytes.`);
      yield piece;
    }
  }
}

async function kindOf(path: string): Promise<'zip' | 'tar' | 'tar.gz' | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.subarray(0, 4).toString('latin1') === 'PK\x03\x04') return 'zip';
    if (head[0] === GZIP && head[1] === 0x8b) return 'tar.gz';
    return head.subarray(257, 262).toString('latin1') === 'ustar' ? 'tar' : null;
  } finally {
    await file.close();
  }
}

async function unzip(path: string, unpacking: Unpacking): Promise<void> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    openZip(
      path,
      { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true },
      (error, opened) => (error === null ? resolve(opened) : reject(error)),
    ),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        unzipEntry(zip, entry, unpacking).then(() => zip.readEntry(), reject);
      });
      zip.readEntry();
    });
  } finally {
    zip.close();
  }
}

async function unzipEntry(zip: ZipFile, entry: Entry, unpacking: Unpacking): Promise<void> {
  const { fileName, externalFileAttributes } = entry;
  if (((externalFileAttributes >>> 16) & KIND) === LINK) throw linked(fileName);
  const target = unpacking.place(fileName, fileName.endsWith('/'));
  if (target === null) return;
  if (entry.isEncrypted()) throw refused('The archive is encrypted.');
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error))),
  );
  await unpacking.write(target, stream);
}

async function untar(path: string, isGzip: boolean, unpacking: Unpacking, limits: ArchiveLimits): Promise<void> {
  const writes: Promise<void>[] = [];
  const reading = createReadStream(path);
  const failed = (error: unknown): void =>
    void reading.destroy(error instanceof Error ? error : new Error(String(error)));
  const parser = new Parser({
    strict: true,
    brotli: false,
    zstd: false,
    onReadEntry: (entry) => {
      const write = untarEntry(entry, unpacking);
      writes.push(write);
      write.catch((error: unknown) => {
        failed(error);
        // After the last entry the parser still has to reach the end.
        entry.resume();
      });
    },
  });
  const most = limits.maxBytes + limits.maxEntries * TAR_BYTES.entry + TAR_BYTES.end;
  // Decompressed here, since the parser would continue with data behind the end of the archive.
  const plain = isGzip ? createGunzip() : new PassThrough();
  // Declared with other types, but it is a stream of Node's.
  await pipeline(reading, plain, upTo(most), parser as unknown as NodeJS.WritableStream);
  await Promise.all(writes);
}

/** Passes on the bytes of a tar archive, up to `most` of them. */
function upTo(most: number): Transform {
  let read = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      if (read === 0 && piece[0] === GZIP) return done(refused('The archive is gzipped twice.'));
      read += piece.length;
      if (read > most) return done(tooLarge(`The archive goes on for more than ${most} bytes.`));
      done(null, piece);
    },
  });
}

async function untarEntry(entry: ReadEntry, unpacking: Unpacking): Promise<void> {
  const isFolder = entry.type === 'Directory';
  if (!isFolder && entry.type !== 'File' && entry.type !== 'OldFile' && entry.type !== 'ContiguousFile') {
    throw linked(entry.path);
  }
  const target = unpacking.place(entry.path, isFolder);
  if (target === null) entry.resume();
  // Declared with other types; it yields buffers.
  else await unpacking.write(target, entry as AsyncIterable<Buffer>);
}

function linked(name: string): AditError {
  return refused(`${JSON.stringify(name.slice(0, 100))} in the archive is no file: links and devices are not taken.`);
}

function refused(message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: '/file', code: 'invalid', message }] });
}

function tooLarge(message: string): AditError {
  return new AditError('TOO_LARGE', message);
}
