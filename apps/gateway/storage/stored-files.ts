import { AditError } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { keyOfFile, openStoredFile } from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import type { Exchange } from '../http/route.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { sendFile, type SentFile } from '../http/send-object.js';
import { dispositionOf } from './content-type.js';
import { localFile } from './local-file.js';
import { StorageTree } from './storage-tree.js';

/** Sends a file, for both versions of the interface. */
@Injectable()
export class StoredFiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(StorageTree) private readonly tree: StorageTree,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** Throws NOT_FOUND for a folder, CONFLICT for what has not been uploaded completely. */
  async send(storageId: string, exchange: Exchange): Promise<FastifyReply> {
    return this.sendEntry(await this.tree.get(exchange.caller.workspaceId, storageId), exchange);
  }

  /**
   * The file that a job names, by `storage://` or as a path under the local roots of this process; null for a web address, for
   * what is not there any more, and for what this process may not or cannot open.
   */
  async ofSource(workspaceId: string, source: string): Promise<SentFile | null> {
    const key = /^storage:\/\/(.+)$/i.exec(source)?.[1];
    if (key === undefined) return localFile(source, this.config);
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { workspaceId, key, uploaded: true });
    return entry === null ? null : this.file(entry);
  }

  private async sendEntry(entry: StorageEntryEntity, { request, reply }: Exchange): Promise<FastifyReply> {
    if (!entry.uploaded) throw new AditError('CONFLICT', `${entry.name} has not been uploaded completely.`);
    return sendFile(this.file(entry), request, reply);
  }

  private file(entry: StorageEntryEntity): SentFile {
    return {
      open: (range) => openStoredFile(this.db.manager, this.objects, entry, range),
      filename: entry.name,
      contentType: entry.contentType,
      size: Number(entry.size),
      // A key stands for the same bytes for ever.
      etag: entry.digest ?? keyOfFile(entry),
      disposition: dispositionOf(entry.contentType),
    };
  }
}
