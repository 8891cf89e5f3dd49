import type { AditClient } from './adit-client.js';
import type { StorageEntry } from './schema.js';
import { streamedForm } from './streamed-form.js';
import type { Transport } from './transport.js';

export interface Upload {
  /** Made when it does not exist; default the root. */
  folder?: string;
  /** Default: that of a File. */
  name?: string;
  /** What to do when the folder has a file of that name; default refuse. */
  ifExists?: 'refuse' | 'replace';
  /** Bytes that were handed to the connection, of how many. */
  onProgress?: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

export class Storage {
  constructor(
    private readonly client: AditClient,
    private readonly transport: Transport,
  ) {}

  /**
   * Uploads a file as a stream, whatever its size: `await openAsBlob(path)` of node:fs is one that is read as it is sent.
   * The `url` of what comes back is a source of jobs.
   */
  async upload(file: Blob, { folder = '/', name, ifExists, onProgress, signal }: Upload = {}): Promise<StorageEntry> {
    const filename = name ?? (file as { name?: string }).name ?? 'file';
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
    return (await reply.json()) as StorageEntry;
  }

  /** A plain list of what a folder holds. */
  list(folder = '/'): Promise<StorageEntry[]> {
    return this.client.request('GET /v1/storage/', { query: { folder } });
  }

  get(storageId: number): Promise<StorageEntry> {
    return this.client.request('GET /v1/storage/{storageId}/', { params: { storageId: String(storageId) } });
  }

  /** The bytes of a file, to be read as a stream. */
  download(storageId: number): Promise<Response> {
    return this.client.raw('GET /v1/storage/{storageId}/file/', { params: { storageId: String(storageId) } });
  }

  async delete(storageId: number): Promise<void> {
    await this.client.request('DELETE /v1/storage/{storageId}/', { params: { storageId: String(storageId) } });
  }
}
