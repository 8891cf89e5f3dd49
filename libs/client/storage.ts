import type { ApiClient } from './api-client.js';
import { abandonUpload, uploadResumably } from './resumable-upload.js';
import { jsonOf, nameOf } from './request.js';
import type { StorageEntry, StorageUse } from './schema.js';
import { streamedForm } from './streamed-form.js';
import type { Transport } from './transport.js';

export interface Upload {
  /** Made when it does not exist; default the root. */
  folder?: string;
  /** Default: that of a File. */
  name?: string;
  /** Action for a taken name; default refuse. `rename` takes the next free one. */
  ifExists?: 'refuse' | 'replace' | 'rename';
  /** Bytes that were handed to the connection, of how many. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

export interface Resumption {
  /** The `storageId` of an upload of the same file that was begun before, in this process or another. */
  resume?: number;
  /** Told the id before the first byte is sent, to keep it for `resume`. */
  onBegun?: (storageId: number) => void;
  /** Seconds to retry while nothing moves; default 60. */
  patienceSeconds?: number;
  /**
   * Most bytes of a request: the file is sent in pieces, and progress is told behind each. For browsers, which send no stream
   * over HTTP/1.1. Default: one request, whose body is read as it is sent.
   */
  pieceBytes?: number;
}

export class Storage {
  constructor(
    private readonly client: ApiClient,
    private readonly transport: Transport,
  ) {}

  /**
   * Uploads a file as a stream, whatever its size: `await openAsBlob(path)` of node:fs is one that is read as it is sent.
   * The `url` of what comes back is a source of jobs.
   */
  async upload(file: Blob, { folder = '/', name, ifExists, onProgress, signal }: Upload = {}): Promise<StorageEntry> {
    const filename = name ?? nameOf(file) ?? 'file';
    // In the query it needs none of the escapes that a part's head has.
    const given = { folder, name: filename, ...(ifExists === undefined ? {} : { if_exists: ifExists }) };
    const query = new URLSearchParams(given);
    const form = streamedForm(file, filename, onProgress);
    const reply = await this.transport.send({
      method: 'POST',
      path: `/v1/storage/?${query.toString()}`,
      headers: { 'content-type': form.contentType },
      body: () => form.body(),
      signal,
      repeatable: false,
    });
    return jsonOf<StorageEntry>(reply);
  }

  /**
   * Uploads a large file so that a broken connection costs only what was on its way: it goes on where the service stands. With
   * `resume` it goes on where another process, or another day, has left off; `folder`, `name` and `ifExists` count no more then.
   */
  async uploadResumably(file: Blob, options: Upload & Resumption = {}): Promise<StorageEntry> {
    const {
      folder = '/',
      name,
      ifExists,
      onProgress,
      onBegun,
      resume,
      patienceSeconds = 60,
      pieceBytes,
      signal,
    } = options;
    const filename = name ?? nameOf(file) ?? 'file';
    const id = await uploadResumably(this.transport, {
      ...{ file, folder, name: filename, ifExists, onProgress, onBegun, resume, patienceSeconds, pieceBytes, signal },
    });
    return this.get(id);
  }

  /** Removes what has come of a resumable upload that nobody will go on with. */
  abandon(storageId: number): Promise<void> {
    return abandonUpload(this.transport, storageId);
  }

  /** A plain list of what a folder holds. */
  list(folder = '/'): Promise<StorageEntry[]> {
    return this.client.request('GET /v1/storage/', { query: { folder } });
  }

  /** Bytes that the workspace stores, and may store. */
  usage(): Promise<StorageUse> {
    return this.client.request('GET /v1/storage/usage/');
  }

  get(storageId: number): Promise<StorageEntry> {
    return this.client.request('GET /v1/storage/{storageId}/', { params: { storageId } });
  }

  /** The bytes of a file, to be read as a stream. */
  download(storageId: number): Promise<Response> {
    return this.client.raw('GET /v1/storage/{storageId}/file/', { params: { storageId } });
  }

  async delete(storageId: number): Promise<void> {
    await this.client.request('DELETE /v1/storage/{storageId}/', { params: { storageId } });
  }
}
