import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusContext } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { inTransaction, StorageEntryEntity } from '@adit/database';
import { claimAttempt, leasedThumbnail, MAX_ATTEMPTS, runAttempt, type Held } from '@adit/leases';
import { keyOfFile, storageThumbnailKey, thumbnailFailed, thumbnailMade } from '@adit/storage';
import { makeThumbnail, type Admit } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WORK_DIRECTORY } from './config.js';
import { MemoryAdmission } from './memory-admission.js';
import { fetchForThumbnail } from './thumbnail-source.js';

const log = createLogger('thumbnails');
/** A client waits for it, and requests it again when the lease has expired. */
const SETTINGS = { leaseSeconds: 60, maxAttempts: MAX_ATTEMPTS };

/**
 * Subscriber of thumbnails.requested: fetches the necessary part of an uploaded file and stores a thumbnail beside it.
 */
@Injectable()
export class ThumbnailHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
  ) {}

  async make({ entryId }: Payload<'thumbnails.requested'>, context: BusContext): Promise<void> {
    const work = leasedThumbnail(entryId);
    const claim = await claimAttempt(this.db, work, SETTINGS.leaseSeconds);
    if (claim === null) return;
    const held: Held = { rows: work.rows, key: work.key, ...claim };
    const { signal } = context;
    await runAttempt(
      { db: this.db, settings: SETTINGS, work, ...claim, signal },
      (stop) => this.attempt(entryId, held, stop),
      async ({ message }, isOurs) => {
        await inTransaction(this.db, async (manager) => {
          if (!(await isOurs(manager))) return;
          log.info({ entryId, reason: message }, 'a file has no thumbnail');
          await thumbnailFailed(manager, entryId, message);
        });
      },
    );
  }

  private async attempt(id: number, held: Held, signal: AbortSignal): Promise<void> {
    const entry = await this.db.manager.findOneBy(StorageEntryEntity, { id });
    if (entry === null) return;
    const directory = join(this.workDirectory, `thumbnail-${randomUUID()}`);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, 'source');
      const { posterSeconds } = await fetchForThumbnail(this.db.manager, this.objects, entry, path);
      const admit: Admit = (bytes, work) => this.memory.admit(bytes, work, signal);
      await this.keep(entry, held, await makeThumbnail({ path, directory, posterSeconds, admit, signal }));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  private async keep(entry: StorageEntryEntity, held: Held, picture: Buffer): Promise<void> {
    const { id, workspaceId } = entry;
    const key = storageThumbnailKey(workspaceId, keyOfFile(entry));
    await this.objects.put(key, picture);
    if (await thumbnailMade(this.db.manager, held)) return;
    // The file and its thumbnail were deleted meanwhile. A concurrent attempt uses the same key.
    if (!(await this.db.manager.existsBy(StorageEntryEntity, { id }))) await this.objects.delete(key);
  }
}
