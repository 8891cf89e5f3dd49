import { AditError } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { keyOfFile, openStoredFile } from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import type { Exchange } from '../http/route.js';
import { sendFile } from '../http/send-object.js';
import { isShowable } from './content-type.js';
import { StorageTree } from './storage-tree.js';

/** What both versions of the interface send of a file. */
@Injectable()
export class StoredFiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(StorageTree) private readonly tree: StorageTree,
  ) {}

  /** Throws NOT_FOUND for a folder, CONFLICT for what has not been uploaded completely. */
  async send(storageId: string, exchange: Exchange): Promise<FastifyReply> {
    return this.sendEntry(await this.tree.get(exchange.caller.workspaceId, storageId), exchange);
  }

  /** The whole file that a job names by `storage://`; null for any other source, and for what is not there any more. */
  async ofSource(workspaceId: string, source: string): Promise<StorageEntryEntity | null> {
    const key = /^storage:\/\/(.+)$/i.exec(source)?.[1];
    if (key === undefined) return null;
    return this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key, uploaded: true });
  }

  async sendEntry(entry: StorageEntryEntity, { request, reply }: Exchange): Promise<FastifyReply> {
    const key = keyOfFile(entry);
    if (!entry.uploaded) throw new AditError('CONFLICT', `${entry.name} has not been uploaded completely.`);
    const file = {
      open: (range?: { start: number; end?: number }) => openStoredFile(this.db.manager, this.objects, entry, range),
      filename: entry.name,
      contentType: entry.contentType,
      size: Number(entry.size),
      // A key stands for the same bytes for ever.
      etag: entry.digest ?? key,
      disposition: isShowable(entry.contentType) ? ('inline' as const) : ('attachment' as const),
    };
    return sendFile(file, request, reply);
  }
}
