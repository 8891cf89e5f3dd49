import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusContext } from '@adit/bus';
import { AditError, type Payload } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { storageThumbnailKey } from '@adit/storage';
import { makeThumbnail, type Admit } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WORK_DIRECTORY } from './config.js';
import { MemoryAdmission } from './memory-admission.js';
import { fetchForThumbnail } from './thumbnail-source.js';

const log = createLogger('thumbnails');
const MAX_ATTEMPTS = 3;
/** Longer than making one takes. */
const LEASE_SECONDS = 300;

/** thumbnails.requested: fetch what is needed of an uploaded file and keep a small picture of it beside it. */
@Injectable()
export class ThumbnailHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
  ) {}

  async make({ entryId }: Payload<'thumbnails.requested'>, context: BusContext): Promise<void> {
    const entry = await this.claim(entryId);
    if (entry === null) return;
    const directory = join(this.workDirectory, `thumbnail-${randomUUID()}`);
    try {
      if (entry.thumbnailAttempts > MAX_ATTEMPTS) {
        throw new AditError('MEDIA_INVALID', `Making it was given up after ${MAX_ATTEMPTS} tries.`);
      }
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, 'source');
      const { posterSeconds } = await fetchForThumbnail(this.db.manager, this.objects, entry, path);
      const { signal } = context;
      const admit: Admit = (bytes, work) => this.memory.admit(bytes, work, signal);
      const picture = await makeThumbnail({ path, directory, posterSeconds, admit, signal });
      await this.keep(entry, picture);
    } catch (error) {
      const problem = AditError.from(error);
      // An outage or an orderly end says nothing about the file, a deleted one concerns nobody.
      if (problem.code === 'UNAVAILABLE' || context.signal.aborted) {
        await this.note(entry, { thumbnailAttempts: entry.thumbnailAttempts - 1 });
        throw error;
      }
      if (problem.retryable && entry.thumbnailAttempts < MAX_ATTEMPTS) throw error;
      log.info({ entryId, err: problem }, 'a file has no thumbnail');
      await this.note(entry, { thumbnail: 'none', thumbnailError: problem.message });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Counts the try before it begins, so that a crash counts too. Null when nobody wants it any more. */
  private async claim(id: number): Promise<StorageEntryEntity | null> {
    const wanted = { id, uploaded: true, thumbnail: 'requested' as const };
    const { affected } = await this.db.manager.update(StorageEntryEntity, wanted, {
      thumbnailAttempts: () => 'thumbnail_attempts + 1',
      thumbnailLeaseUntil: () => `now() + interval '${LEASE_SECONDS} seconds'`,
    });
    return affected === 0 ? null : this.db.manager.findOneBy(StorageEntryEntity, wanted);
  }

  private async keep(entry: StorageEntryEntity, picture: Buffer): Promise<void> {
    const key = storageThumbnailKey(entry.workspaceId, entry.key as string);
    await this.objects.put(key, picture);
    // The file was deleted meanwhile, and all that was beside it.
    if (!(await this.note(entry, { thumbnail: 'made' }))) await this.objects.delete(key);
  }

  private async note({ id }: StorageEntryEntity, outcome: Partial<StorageEntryEntity>): Promise<boolean> {
    const { affected } = await this.db.manager.update(StorageEntryEntity, { id }, outcome);
    return affected !== 0;
  }
}
