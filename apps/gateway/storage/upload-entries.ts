import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import { inTransaction, StorageEntryEntity, type Beside } from '@adit/database';
import {
  deleteUpload,
  failUploads,
  FileRemovals,
  insertUpload,
  leftOf,
  lockTree,
  makeFile,
  makeFolders,
  openStoredFile,
  pathOf,
  type Place,
  storageFull,
  storageQuota,
  type StorageQuota,
  touchUploads,
} from '@adit/storage';
import { SNIFFED_BYTES } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { contentTypeOf, contentTypeOfBytes } from './content-type.js';
import { freeName, nextName } from './tree-changes.js';

const log = createLogger('storage');
/** Number of times that an upload shows that it is alive, and what is swept is looked for. */
const PERIOD_MS = 20_000;
/** An upload in one request that shows no sign of life for so long died with its process. */
const DEAD_SECONDS = 90;

export interface NewUpload extends Place {
  claimedType: string | undefined;
  replaces: boolean;
  /** It takes the next free name when its own is taken: `film (1).mp4`. */
  renames: boolean;
  /** Bytes announced for a resumable upload. */
  length?: number;
  /** 20 URL-safe characters; others than anything has by default. */
  key?: string;
  /** In the transaction that makes the entry. */
  beside?: Beside;
}

/** Work on a file in the transaction that completes it. */
export type WithFile = (manager: EntityManager, file: StorageEntryEntity) => Promise<void>;

/** The life of an entry from the first byte of its upload: alive, then `uploaded` or `upload_failed`, whatever breaks. */
@Injectable()
export class UploadEntries implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Uploads in one request that this process takes. */
  private readonly alive = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(FileRemovals) private readonly removals: FileRemovals,
  ) {}

  onApplicationBootstrap(): void {
    const run = () => void (this.running ??= this.tend().finally(() => (this.running = null)));
    run();
    this.timer = setInterval(run, PERIOD_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Makes the entry of an upload that begins, and its folder. With `checkName`, throws CONFLICT when its name is taken. */
  async begin(
    // 15 random bytes are 20 characters of base64url.
    { length, claimedType, key = randomBytes(15).toString('base64url'), beside, ...asked }: NewUpload,
    checkName: boolean,
  ): Promise<StorageEntryEntity> {
    const { workspaceId, folder } = asked;
    const entry = await inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      await lockTree(manager, workspaceId);
      if (length !== undefined) refuseBeyond(await this.quota(asked, manager), length);
      const name = asked.renames ? await nextName(manager, asked) : asked.name;
      const upload = { ...asked, name };
      if (checkName) {
        await freeName(manager, upload, upload.replaces);
        await refuseUnfinished(manager, upload);
      }
      await makeFolders(manager, workspaceId, folder);
      const contentType = contentTypeOf(claimedType, name);
      const resumable = length === undefined ? {} : { uploadLength: String(length), size: '0' };
      return insertUpload(manager, { ...upload, ...resumable, key, contentType });
    });
    if (length === undefined) this.alive.add(entry.id);
    return entry;
  }

  /**
   * All bytes are stored: the file takes its name, and `also` is done in the same transaction. Throws CONFLICT when that is
   * taken, or the entry was deleted meanwhile, NOT_FOUND when its workspace was erased; nothing of the upload stays then.
   */
  async finish(
    entry: StorageEntryEntity,
    { renames, ...asked }: Place & { replaces: boolean; renames: boolean },
    also?: WithFile,
  ): Promise<StorageEntryEntity> {
    const { id } = entry;
    try {
      const contentType = await this.typeOf(entry);
      const finished = await inTransaction(this.db, async (manager) => {
        await lockTree(manager, asked.workspaceId);
        const place = { ...asked, name: renames ? await nextName(manager, asked, id) : asked.name };
        const outdated = await freeName(manager, place, place.replaces, id);
        await makeFolders(manager, place.workspaceId, place.folder);
        await this.removals.note(manager, outdated);
        const { size, digest } = entry;
        const isFile = await makeFile(manager, id, { ...place, size, digest, contentType });
        // Two concurrent uploads may each have been within the quota.
        if (entry.uploadLength === null) refuseBeyond(await this.quota({ ...place, replaces: false }, manager), 0);
        if (!isFile) {
          throw new AditError('CONFLICT', `${pathOf(place)} was deleted, or given up, while it was being uploaded.`);
        }
        const file = await manager.findOneByOrFail(StorageEntryEntity, { id });
        await also?.(manager, file);
        return file;
      }).catch((error: unknown) => this.refuse(entry, error));
      await this.removals.drain();
      return finished;
    } finally {
      this.alive.delete(id);
    }
  }

  /** It cannot become a file: nothing of it stays. What may go well another time leaves it as it is. */
  private async refuse(entry: StorageEntryEntity, error: unknown): Promise<never> {
    if (['CONFLICT', 'STORAGE_FULL', 'NOT_FOUND'].includes(AditError.from(error).code)) await this.discard(entry);
    throw error;
  }

  /** The upload broke off: its entry stays and says so, its bytes go. */
  async fail(entry: StorageEntryEntity): Promise<void> {
    this.alive.delete(entry.id);
    await this.giveUp([entry]);
  }

  /** Nothing of it stays, unless it became a file: whoever finished it may not have heard that it was committed. */
  async discard(entry: StorageEntryEntity): Promise<void> {
    const { id } = entry;
    this.alive.delete(id);
    await inTransaction(this.db, async (manager) => {
      await deleteUpload(manager, id);
      const isFile = await manager.existsBy(StorageEntryEntity, { id, uploaded: true });
      if (!isFile) await this.removals.noteBytes(manager, [entry]);
    });
    await this.removals.drain();
  }

  /** One round of what is done now and then; public for the specs. */
  async tend(): Promise<void> {
    try {
      if (this.alive.size > 0) {
        await touchUploads(this.db.manager, [...this.alive]);
      }
      await this.giveUp(await this.abandoned());
      await this.removals.drain();
    } catch (error) {
      log.warn({ err: error }, 'uploads could not be looked after; the next run tries again');
    }
  }

  /** Quota of the workspace and its use. The size of a file that is replaced does not count. */
  async quota(
    { workspaceId, folder, name, replaces }: Place & { replaces: boolean },
    manager: EntityManager = this.db.manager,
  ): Promise<StorageQuota> {
    const quota = await storageQuota(manager, workspaceId, 'uploads', this.config.storageBytes);
    if (!replaces || quota.limit === null) return quota;
    const where = { workspaceId, folder, name, uploaded: true, isFolder: false };
    const before = await manager.findOneBy(StorageEntryEntity, where);
    return { ...quota, used: quota.used - Number(before?.size ?? 0) };
  }

  private async giveUp(entries: StorageEntryEntity[]): Promise<void> {
    if (entries.length === 0) return;
    await inTransaction(this.db, async (manager) => {
      const ids = entries.map(({ id }) => id);
      await failUploads(manager, ids);
      // One that was finished meanwhile keeps its bytes.
      const rows = await manager.find(StorageEntryEntity, {
        where: { id: In(ids), uploaded: true },
        select: { id: true },
      });
      const finished = new Set(rows.map(({ id }) => id));
      await this.removals.noteBytes(
        manager,
        entries.filter(({ id }) => !finished.has(id)),
      );
    });
    await this.removals.drain();
  }

  /** Uploads whose process died, and resumable ones that nobody went on with for too long. */
  private abandoned(): Promise<StorageEntryEntity[]> {
    return this.db.manager
      .createQueryBuilder(StorageEntryEntity, 'e')
      .where('NOT e.uploaded AND NOT e.upload_failed AND NOT e.is_folder')
      .andWhere(
        `e.time_touched < now() - CASE WHEN e.upload_length IS NULL THEN make_interval(secs => :dead)
           ELSE make_interval(hours => :hours) END`,
        { dead: DEAD_SECONDS, hours: this.config.uploadKeepHours },
      )
      .take(1000)
      .getMany();
  }

  private async typeOf(entry: StorageEntryEntity): Promise<string> {
    const claimed = entry.contentType ?? 'application/octet-stream';
    if (Number(entry.size) === 0) return claimed;
    const range = { start: 0, end: SNIFFED_BYTES - 1 };
    const head = await buffer(await openStoredFile(this.db.manager, this.objects, entry, range));
    return contentTypeOfBytes(head, claimed);
  }
}

function refuseBeyond(quota: StorageQuota, bytes: number): void {
  if (bytes > leftOf(quota) || leftOf(quota) < 0) throw storageFull(quota);
}

/** Two resumable uploads of one name would both cost their time, and only one could have the name. */
async function refuseUnfinished(manager: EntityManager, upload: Place & { replaces: boolean }): Promise<void> {
  if (upload.replaces) return;
  const { workspaceId, folder, name } = upload;
  const other = await manager
    .createQueryBuilder(StorageEntryEntity, 'e')
    .where({ workspaceId, folder, name, isFolder: false, uploaded: false, uploadFailed: false })
    .andWhere('e.upload_length IS NOT NULL')
    .getOne();
  if (other === null) return;
  throw new AditError(
    'CONFLICT',
    `${pathOf(upload)} is being uploaded already (entry ${other.id}, ${other.size} of ${other.uploadLength} bytes). Go on with it at /v1/storage/uploads/${other.id}/, or delete it first.`,
  );
}
