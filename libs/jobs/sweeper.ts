import { ArtifactEntity, IdempotencyKeyEntity, JobEntity, MediaEntity, ObservationEntity } from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan } from 'typeorm';
import { DictionaryStore } from './dictionary-store.js';
import { BatchCommands } from './batch-commands.js';
import { JobCommands } from './job-commands.js';
import { jobPrefix } from './keys.js';

const log = createLogger('sweeper');
const TOMBSTONE_HOURS = 48;
const PERIOD_MILLISECONDS = 60_000;
/** Rows of one kind removed in one run. */
const BATCH = 500;

/** Removes what has outlived its time: jobs past their ttl, tombstones, artifacts, caches, old dictionaries, packs. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JobCommands) private readonly commands: JobCommands,
    @Inject(DictionaryStore) private readonly dictionaries: DictionaryStore,
    @Inject(BatchCommands) private readonly batches: BatchCommands,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void (this.running ??= this.run()), PERIOD_MILLISECONDS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  async run(now = new Date()): Promise<void> {
    try {
      await this.expireJobs(now);
      await this.removeTombstones(now);
      await this.batches.finishDeletions(now);
      await this.expireArtifacts(now);
      await this.expireCaches(now);
      await this.dictionaries.sweep(now);
      await this.db.manager.delete(IdempotencyKeyEntity, { timeExpires: LessThan(now) });
    } catch (error) {
      log.warn({ err: error }, 'sweeping failed; the next run tries again');
    } finally {
      this.running = null;
    }
  }

  private async expireJobs(now: Date): Promise<void> {
    const where = { timeExpires: LessThan(now), timeDeleted: IsNull() };
    for (const job of await this.db.manager.find(JobEntity, { where, take: BATCH })) {
      await this.commands.delete(job.workspaceId, job.id);
    }
  }

  /** By now no lease of work in flight is left, so what it wrote late goes too. */
  private async removeTombstones(now: Date): Promise<void> {
    const before = new Date(now.getTime() - TOMBSTONE_HOURS * 3_600_000);
    const jobs = await this.db.manager.find(JobEntity, { where: { timeDeleted: LessThan(before) }, take: BATCH });
    for (const { id } of jobs) {
      await this.objects.deletePrefix(jobPrefix(id));
      await this.db.manager.delete(JobEntity, { id });
    }
  }

  private async expireArtifacts(now: Date): Promise<void> {
    const where = { timeExpiration: LessThan(now) };
    for (const { id, objectKey } of await this.db.manager.find(ArtifactEntity, { where, take: BATCH })) {
      await this.objects.delete(objectKey);
      await this.db.manager.delete(ArtifactEntity, { id });
    }
  }

  /** Observations that a running job still folds are kept until it has ended. */
  private async expireCaches(now: Date): Promise<void> {
    const expired: Pick<
      ObservationEntity,
      'workspaceId' | 'mediaDigest' | 'interval' | 'analysisDigest' | 'objectKey'
    >[] = await this.db
      .createQueryBuilder(ObservationEntity, 'o')
      .where('o.time_expires < :now', { now })
      .andWhere(
        `NOT EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id WHERE s.media_digest = o.media_digest
             AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL)`,
      )
      .take(BATCH)
      .getMany();
    for (const { workspaceId, mediaDigest, interval, analysisDigest, objectKey } of expired) {
      await this.db.manager.delete(ObservationEntity, { workspaceId, mediaDigest, interval, analysisDigest });
      await this.objects.deletePrefix(objectKey.slice(0, objectKey.lastIndexOf('/') + 1));
    }
    const media = await this.db.manager.find(MediaEntity, { where: { timeExpires: LessThan(now) }, take: BATCH });
    for (const { workspaceId, digest, indexKey } of media) {
      if (indexKey !== null) await this.objects.delete(indexKey);
      await this.db.manager.delete(MediaEntity, { workspaceId, digest: In([digest]) });
    }
  }
}
