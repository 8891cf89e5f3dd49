import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { databaseNow, StorageEntryEntity } from '@adit/database';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { keyOfFile, requestThumbnail, storageThumbnailKey } from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import type { Exchange } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { storageTypeOf } from './content-type.js';
import { StorageTree } from './storage-tree.js';

/** Time that a request waits for a thumbnail that is being made. */
const TIMEOUT_MS = 15_000;
const POLL_MS = 150;
/** When a decoder that was asked and has not begun is asked again. */
const ASK_AGAIN_SECONDS = 60;

/** Thumbnails of uploaded files. Decoders make them when they are first asked for; here media are never opened. */
@Injectable()
export class FileThumbnails {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(StorageTree) private readonly tree: StorageTree,
  ) {}

  /** Throws NOT_FOUND for what has none, CONFLICT for what is not uploaded, UNAVAILABLE while it is being made for long. */
  async send(storageId: string, exchange: Exchange): Promise<FastifyReply> {
    return this.sendEntry(await this.tree.get(exchange.caller.workspaceId, storageId), exchange);
  }

  /** As `send`, of the file behind `storage://<key>`. */
  async sendFile(key: string, exchange: Exchange): Promise<FastifyReply> {
    const { workspaceId } = exchange.caller;
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key });
    if (entry === null) throw new AditError('NOT_FOUND', `storage://${key} does not exist.`);
    return this.sendEntry(entry, exchange);
  }

  private async sendEntry(shown: StorageEntryEntity, { request, reply }: Exchange): Promise<FastifyReply> {
    const entry = await this.made(shown);
    const key = storageThumbnailKey(entry.workspaceId, keyOfFile(entry));
    const stored = await this.objects.stat(key);
    if (stored === null) throw new AditError('NOT_FOUND', `The thumbnail of ${entry.name} is gone.`);
    const thumbnail = {
      key,
      filename: `${entry.name}.jpg`,
      contentType: 'image/jpeg',
      size: stored.size,
      etag: `${entry.key}-thumbnail`,
      disposition: 'inline' as const,
    };
    return sendObject(this.objects, thumbnail, request, reply);
  }

  private async made(entry: StorageEntryEntity): Promise<StorageEntryEntity> {
    const { id, name } = entry;
    if (entry.isFolder) throw new AditError('NOT_FOUND', `${name} is a folder.`);
    if (!entry.uploaded) throw new AditError('CONFLICT', `${name} has not been uploaded completely.`);
    if (storageTypeOf(entry.contentType) === null) {
      throw new AditError('NOT_FOUND', `${name} is neither a picture nor a film nor sound.`);
    }
    const giveUp = Date.now() + TIMEOUT_MS;
    let current: StorageEntryEntity | null = entry;
    while (current !== null && current.thumbnail !== 'made') {
      if (current.thumbnail === 'none') {
        throw new AditError('NOT_FOUND', `${name} has no thumbnail: ${current.thumbnailError}`);
      }
      if (Date.now() > giveUp) {
        throw new AditError('UNAVAILABLE', `The thumbnail of ${name} is being made.`, { retryAfterSeconds: 5 });
      }
      if (await this.isUnasked(current)) await this.ask(current);
      await sleep(POLL_MS);
      current = await this.db.manager.findOneBy(StorageEntryEntity, { id });
    }
    if (current === null) throw new AditError('NOT_FOUND', `${name} was deleted.`);
    return current;
  }

  /** Tells whether a decoder has to be asked, for the first time or again. */
  private async isUnasked({ thumbnail, thumbnailLeaseUntil }: StorageEntryEntity): Promise<boolean> {
    return thumbnail === null || thumbnailLeaseUntil === null || thumbnailLeaseUntil < (await databaseNow(this.db));
  }

  /** Asks a decoder, unless one was asked and may still be at it. */
  private async ask({ id: entryId, workspaceId }: StorageEntryEntity): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      if (!(await requestThumbnail(manager, entryId, ASK_AGAIN_SECONDS))) return;
      const key = `storage/${entryId}`;
      await enqueue(manager, [{ topic: 'thumbnails.requested', key, jobId: key, workspaceId, payload: { entryId } }]);
    });
  }
}
