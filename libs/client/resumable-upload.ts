import { AditApiError, AditConnectionError } from './errors.js';
import { randomId } from './random-id.js';
import { jsonOf } from './request.js';
import type { StorageEntry } from './schema.js';
import { fileBytes } from './streamed-form.js';
import { sleep, type Transport } from './transport.js';

const TUS = { 'tus-resumable': '1.0.0' };
const OFFSET_STREAM = 'application/offset+octet-stream';
const PAUSE_MS = { first: 250, most: 5_000 };
/**
 * Statuses that another try may mend: an outage, overload, or another request of this upload that still counts as
 * writing.
 */
const PASSING = new Set([409, 423, 429, 500, 502, 503, 504]);

export interface ResumableUpload {
  file: Blob;
  folder: string;
  name: string;
  ifExists: 'refuse' | 'replace' | 'rename' | undefined;
  onProgress: ((sent: number, total: number) => void) | undefined;
  onBegun: ((storageId: number) => void) | undefined;
  /** Goes on with an upload that was begun before. */
  resume: number | undefined;
  patienceSeconds: number;
  /** Undefined: all that is missing is one request, whose body is a stream. */
  pieceBytes: number | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Uploads by tus 1.0.0: when the connection breaks, asks how far the service has come and goes on from there, until nothing
 * has moved for `patienceSeconds`. Returns the id of the entry.
 * Throws what broke it then, AditApiError for a refusal, RangeError when `resume` names the upload of another file.
 */
export async function uploadResumably(transport: Transport, upload: ResumableUpload): Promise<number> {
  const { file, signal } = upload;
  signal?.throwIfAborted();
  if (upload.resume !== undefined) upload.onBegun?.(upload.resume);
  const id = upload.resume ?? (await unlessAborted(begin(transport, upload), signal));
  const patience = new Patience(upload.patienceSeconds, signal);
  let offset = upload.resume === undefined ? 0 : null;
  while (offset === null || offset < file.size) {
    try {
      const stands: number = offset ?? (await offsetOf(transport, id, file, signal));
      patience.progressed(stands);
      // Nobody knows after a failure.
      offset = null;
      if (stands === file.size) break;
      const end = Math.min(file.size, stands + (upload.pieceBytes ?? Infinity));
      const reached = await append(transport, upload, id, stands, end);
      if (reached < end) throw new AditConnectionError(`The service has ${reached} of ${file.size} bytes.`);
      offset = reached;
    } catch (error) {
      const unreadable = readFailure(error);
      if (unreadable !== null || !isPassing(error)) throw unreadable ?? error;
      await patience.pause(error);
    }
  }
  return id;
}

/** Gives an upload up: its bytes are removed. */
export async function abandonUpload(transport: Transport, id: number): Promise<void> {
  await transport.send({ method: 'DELETE', path: pathOf(id), headers: TUS, repeatable: true });
}

/**
 * The id of the new entry; the same one however often the request had to be sent. One that was sent is waited for, also when
 * the upload is aborted meanwhile, so that `onBegun` hears of each entry that was made.
 */
async function begin(
  transport: Transport,
  { file, folder, name, ifExists, onBegun, patienceSeconds, signal }: ResumableUpload,
): Promise<number> {
  const query = new URLSearchParams({ folder, name, ...(ifExists === undefined ? {} : { if_exists: ifExists }) });
  const headers = {
    ...TUS,
    'upload-length': String(file.size),
    'idempotency-key': randomId(),
    ...(file.type === '' ? {} : { 'upload-metadata': `filetype ${btoa(file.type)}` }),
  };
  const patience = new Patience(patienceSeconds, signal);
  for (;;) {
    try {
      const path = `/v1/storage/uploads/?${query.toString()}`;
      const reply = await transport.send({ method: 'POST', path, headers, repeatable: true });
      const { id } = await jsonOf<StorageEntry>(reply);
      onBegun?.(id);
      return id;
    } catch (error) {
      // A name that is taken does not become free by waiting.
      if (!isPassing(error) || (error instanceof AditApiError && error.status === 409)) throw error;
      await patience.pause(error);
    }
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

async function offsetOf(
  transport: Transport,
  id: number,
  { size }: Blob,
  signal: AbortSignal | undefined,
): Promise<number> {
  const progress = { method: 'HEAD', path: pathOf(id), headers: TUS, signal, repeatable: true };
  const { headers } = await transport.send(progress);
  const length = Number(headers.get('upload-length'));
  if (length !== size) throw new RangeError(`Upload ${id} is of a file of ${length} bytes; this one has ${size}.`);
  return Number(headers.get('upload-offset'));
}

/** Sends the bytes from `offset` to `end`. Returns how far the service is then. */
async function append(
  transport: Transport,
  { file, onProgress, pieceBytes, signal }: ResumableUpload,
  id: number,
  offset: number,
  end: number,
): Promise<number> {
  // fetch may go on reading a body whose connection broke, beside the next one.
  const over = new AbortController();
  try {
    const reply = await transport.send({
      method: 'PATCH',
      path: pathOf(id),
      headers: { ...TUS, 'content-type': OFFSET_STREAM, 'upload-offset': String(offset) },
      body: () =>
        pieceBytes === undefined ? fileBytes(file, offset, onProgress, over.signal) : file.slice(offset, end),
      signal,
      repeatable: false,
      // The current offset is read first.
      once: true,
    });
    const reached = Number(reply.headers.get('upload-offset'));
    if (pieceBytes !== undefined) onProgress?.(reached, file.size);
    return reached;
  } finally {
    over.abort();
  }
}

function pathOf(id: number): string {
  return `/v1/storage/uploads/${id}/`;
}

function isPassing(error: unknown): boolean {
  return error instanceof AditConnectionError || (error instanceof AditApiError && PASSING.has(error.status));
}

/** Returns the error of the file, as opposed to the connection: it changed, or is gone. Null when it is fine. */
function readFailure(error: unknown): Error | null {
  if (typeof error !== 'object' || error === null) return null;
  // Nothing but errors is thrown here, and their classes may be of another realm.
  const failure = error as Error;
  return failure.name === 'NotReadableError' ? failure : readFailure(failure.cause);
}

/** Pauses that grow, and an end when nothing has moved for long. */
class Patience {
  private since = performance.now();
  private pauses = 0;
  private stands = -1;

  constructor(
    private readonly seconds: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Records the upload's offset. */
  progressed(offset: number): void {
    if (offset <= this.stands) return;
    this.stands = offset;
    this.since = performance.now();
    this.pauses = 0;
  }

  /** Throws the error when patience is at its end. */
  async pause(error: unknown): Promise<void> {
    if (performance.now() - this.since >= this.seconds * 1000) throw error;
    const asked = error instanceof AditApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const backoff = Math.min(PAUSE_MS.most, PAUSE_MS.first * 2 ** this.pauses++);
    await sleep(Math.max(backoff, Math.min(asked, 60_000)), this.signal);
  }
}
