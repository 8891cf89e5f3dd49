import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { inTransaction, StorageEntryEntity } from '@adit/database';
import { addPart, keyOfFile, storagePartKey } from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { RequestBytes } from './request-bytes.js';
import { StorageTree } from './storage-tree.js';
import { UploadEntries, type NewUpload } from './upload-entries.js';

const log = createLogger('storage');
/** A part is one object: what is lost, and sent again, when the gateway dies. A broken connection only ends it early. */
const PART_BYTES = 64 << 20;
/** Time that a new request waits for the one before, which its client has given up, to put down what it has. */
const TIMEOUT_MS = 10_000;

interface Writer {
  bytes: RequestBytes;
  ended: Promise<unknown>;
}

/**
 * Uploads of any size over any number of requests. A stretch is stored as parts, each safe before it counts; the offset
 * moves by one row in one transaction, so any number of gateways may take requests of one upload, and only one moves it.
 */
@Injectable()
export class ResumableUploads {
  /** Requests of this process that are writing, by entry. */
  private readonly writers = new Map<number, Writer>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(UploadEntries) private readonly entries: UploadEntries,
    @Inject(StorageTree) private readonly tree: StorageTree,
  ) {}

  /** Makes the entry that the bytes will belong to. Throws CONFLICT when its name is taken, TOO_LARGE. */
  async create(upload: NewUpload & { length: number }): Promise<StorageEntryEntity> {
    if (upload.length > this.config.maxUploadBytes) {
      throw new AditError('TOO_LARGE', `A file has at most ${this.config.maxUploadBytes} bytes here.`);
    }
    const entry = await this.entries.begin(upload, true);
    return upload.length === 0 ? this.finish(entry) : entry;
  }

  /** Returns the progress of the upload that was begun under this key. Throws NOT_FOUND. */
  async begun(workspaceId: string, key: string): Promise<StorageEntryEntity> {
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key });
    if (entry === null) throw new AditError('NOT_FOUND', 'The upload was given up, or its file removed.');
    return this.status(workspaceId, String(entry.id));
  }

  /** Returns an upload's progress, once the request that was writing to it has stored its bytes. Throws NOT_FOUND. */
  async status(workspaceId: string, id: string): Promise<StorageEntryEntity> {
    const entry = await this.find(workspaceId, id);
    await this.interrupt(entry.id);
    const current = await this.find(workspaceId, id);
    return isFull(current) && !current.uploaded ? this.finish(current) : current;
  }

  /**
   * Stores the body of a request from `offset` on. A body that breaks off counts as far as it came. Throws CONFLICT when
   * the upload stands elsewhere, TOO_LARGE when more comes than was announced, NOT_FOUND.
   */
  async append(
    workspaceId: string,
    id: string,
    offset: number,
    announced: number | null,
    request: FastifyRequest,
  ): Promise<StorageEntryEntity> {
    const { id: entryId } = await this.find(workspaceId, id);
    await this.interrupt(entryId);
    const entry = await this.find(workspaceId, id);
    refuseOffset(entry, offset);
    const left = Number(entry.uploadLength) - offset;
    if (announced !== null && announced > left) throw tooMuch(entry.uploadLength);
    const bytes = new RequestBytes(request.raw);
    const written = this.write(entry, bytes);
    const writer = { bytes, ended: written.catch(() => undefined) };
    this.writers.set(entryId, writer);
    try {
      await written;
      if (isFull(entry) && (await bytes.next(1)) !== null) throw tooMuch(entry.uploadLength);
      return isFull(entry) && !entry.uploaded ? await this.finish(entry) : entry;
    } finally {
      // Its client is gone, or has come back over another connection; nobody reads what is left.
      if (bytes.broken) request.raw.destroy();
      if (this.writers.get(entryId) === writer) this.writers.delete(entryId);
    }
  }

  /** Gives an upload up, or removes the file that it became. Throws NOT_FOUND, CONFLICT when a job needs the file. */
  async terminate(workspaceId: string, id: string): Promise<void> {
    const entry = await this.find(workspaceId, id);
    await this.interrupt(entry.id);
    await this.tree.remove(entry);
  }

  /** When an unfinished upload that nobody goes on with is given up. */
  expiry(entry: StorageEntryEntity): Date {
    return new Date(entry.timeTouched.getTime() + this.config.uploadKeepHours * 3_600_000);
  }

  private async find(workspaceId: string, id: string): Promise<StorageEntryEntity> {
    const entry = await this.tree.get(workspaceId, id);
    if (entry.uploadLength === null || entry.uploadFailed) {
      throw new AditError('NOT_FOUND', `There is no resumable upload ${entry.id}, or it was given up.`);
    }
    return entry;
  }

  /** Ends the request of this process that is writing to an upload: its client has come back over another connection. */
  private async interrupt(entryId: number): Promise<void> {
    const writer = this.writers.get(entryId);
    if (writer === undefined) return;
    writer.bytes.stop();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS)));
    await Promise.race([writer.ended, patience]);
    clearTimeout(timer);
  }

  private async write(entry: StorageEntryEntity, bytes: RequestBytes): Promise<void> {
    const length = Number(entry.uploadLength);
    for (let start = Number(entry.size); start < length; start = Number(entry.size)) {
      const most = Math.min(PART_BYTES, length - start);
      // Looked at before, so that an end makes no empty part.
      const first = await bytes.next(most);
      if (first === null) return;
      await this.storePart(entry, start, first, bytes.upTo(most - first.length));
    }
  }

  private async storePart(
    entry: StorageEntryEntity,
    start: number,
    first: Buffer,
    others: AsyncIterable<Buffer>,
  ): Promise<void> {
    // Two requests at one offset must not write to one object.
    const name = `${start}-${randomBytes(6).toString('hex')}`;
    const key = storagePartKey(entry.workspaceId, keyOfFile(entry), name);
    const body = Readable.from(followedBy(first, others), { objectMode: false });
    const { size } = await this.objects.put(key, body);
    // Tells whether the upload still stood at `start`, and now stands behind the part.
    const moved = await inTransaction(this.db, (manager) => addPart(manager, entry.id, { start, size, name }));
    if (moved) return void Object.assign(entry, { size: String(start + size), timeTouched: new Date() });
    await this.objects.delete(key).catch((error: unknown) => log.warn({ err: error, key }, 'a part stays behind'));
    throw new AditError('CONFLICT', 'Another request goes on with this upload, or it was deleted; ask for its offset.');
  }

  private finish(entry: StorageEntryEntity): Promise<StorageEntryEntity> {
    const { workspaceId, folder, name, replaces, renames } = entry;
    return this.entries.finish(entry, { workspaceId, folder, name, replaces, renames });
  }
}

function isFull({ size, uploadLength }: StorageEntryEntity): boolean {
  return size === uploadLength;
}

function refuseOffset(entry: StorageEntryEntity, offset: number): void {
  if (Number(entry.size) === offset) return;
  throw new AditError('CONFLICT', `The upload stands at byte ${entry.size}, not ${offset}; go on from there.`);
}

export function tooMuch(length: number | string | null): AditError {
  return new AditError('TOO_LARGE', `More is sent than the ${length} bytes that were announced.`);
}

async function* followedBy(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* others;
}
