import { AditError, TERMINAL_JOB_STATES, type JobState } from '@adit/contracts';
import {
  ArtifactEntity,
  databaseNow,
  DatasetImportEntity,
  JobEntity,
  JobErasureEntity,
  LookEntity,
  MediaEntity,
  ObservationEntity,
  ProbeEntity,
} from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { counter, createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan, LessThanOrEqual } from 'typeorm';
import { DictionaryStore } from '@adit/dictionaries';
import { Canaries, ModelStore } from '@adit/model-store';
import { BatchCommands } from '../commands/batch-commands.js';
import { removeDeletedCollections } from '@adit/indexes';
import { InstallationLease } from '@adit/leases';
import { JobCommands } from '../commands/job-commands.js';
import { jobPrefix } from '../keys.js';
import { JOB_SETTINGS, type JobSettings } from '../scheduling/settings.js';
import { forgetEvents } from '@adit/webhooks';
import { workOffRemovals } from '../object-removals.js';
import { TranscriptErasures } from './transcript-erasures.js';
import { mediaInUse } from '../chunks/observation-cache.js';

const log = createLogger('sweeper');
const swept = counter('adit_swept_total', 'What outlived its time and was removed', ['kind']);
const TOMBSTONE_HOURS = 48;
/** Long after whoever asked has given up. */
const QUESTION_MILLISECONDS = 600_000;
/** For so long what was done is found again under its Idempotency-Key, though nobody has answered it. */
const DONE_MILLISECONDS = 24 * 3_600_000;
const FORGET_REQUESTS = `
  DELETE FROM idempotency_keys
   WHERE time_expires < $1 AND (status IS NOT NULL OR time_done IS NULL OR time_done < $2)`;
const PERIOD_MILLISECONDS = 60_000;
/** How late a job may be deleted whose ttl is over. */
const TTL_PERIOD_MILLISECONDS = 1_000;
/** Rows of one kind looked up together. */
const BATCH = 500;
/** Longer than the removal of any one thing takes. */
const LEASE_SECONDS = 300;

interface Removal<T> {
  kind: string;
  /** At most BATCH. */
  find: () => Promise<T[]>;
  remove: (one: T) => Promise<unknown>;
}

/**
 * Removes what has outlived its time: jobs past their ttl, tombstones, artifacts, caches, old dictionaries and models, packs. One
 * process of the installation does, for as long as there is something to remove.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lease: InstallationLease;
  private readonly transcripts: TranscriptErasures;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private ttlTimer: NodeJS.Timeout | undefined;
  private expiring: Promise<void> | null = null;
  private stopping = false;
  /** Asked before each part of what may take long. */
  private readonly shouldContinue = async (): Promise<boolean> => !this.stopping && (await this.lease.keep());

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JobCommands) private readonly commands: JobCommands,
    @Inject(DictionaryStore) private readonly dictionaries: DictionaryStore,
    @Inject(ModelStore) private readonly models: ModelStore,
    @Inject(BatchCommands) private readonly batches: BatchCommands,
    @Inject(JOB_SETTINGS) private readonly settings: Pick<JobSettings, 'eventHours' | 'eventsKept'>,
  ) {
    this.lease = new InstallationLease(db, 'sweeper', LEASE_SECONDS);
    this.transcripts = new TranscriptErasures(db);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void (this.running ??= this.run()), PERIOD_MILLISECONDS);
    this.ttlTimer = setInterval(() => void (this.expiring ??= this.expireJobs()), TTL_PERIOD_MILLISECONDS);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    clearInterval(this.ttlTimer);
    await Promise.all([this.running, this.expiring]);
  }

  /** Does nothing while another process sweeps. For the specs: as if it were `at`. */
  async run(at?: Date): Promise<void> {
    try {
      if (!(await this.lease.take())) return;
      try {
        const now = at ?? (await databaseNow(this.db));
        await this.sweep(this.expiredJobs(now));
        await this.sweep(this.erasures());
        await this.sweep(this.deletedTranscripts());
        await this.sweep(this.deletedVariants());
        await this.sweep(this.tombstones(now));
        await this.attempt('batches', () => this.batches.finishDeletions(now, this.shouldContinue));
        await this.sweep(this.artifacts(now));
        await this.sweep(this.observations(now));
        await this.sweep(this.media(now));
        await this.attempt('indexes', () => removeDeletedCollections(this.db.manager, this.shouldContinue));
        await this.sweep(this.datasetImports(now));
        await this.attempt('dictionaries', () => this.dictionaries.sweep(now));
        await this.attempt('models', () => this.models.sweep(now));
        await this.attempt('canaries', () => new Canaries(this.db).sweep(now));
        await this.attempt('events', () => this.forgetEvents(now));
        await this.attempt('objects', () => workOffRemovals(this.db.manager, this.objects, now, this.shouldContinue));
        await this.db.query(FORGET_REQUESTS, [now, new Date(now.getTime() - DONE_MILLISECONDS)]);
        const timeCreated = LessThan(new Date(now.getTime() - QUESTION_MILLISECONDS));
        await this.db.manager.delete(ProbeEntity, { timeCreated });
        await this.db.manager.delete(LookEntity, { timeCreated });
      } finally {
        await this.lease.release();
      }
    } catch (error) {
      log.warn({ err: error }, 'sweeping failed; the next run tries again');
    } finally {
      this.running = null;
    }
  }

  private forgetEvents(now: Date): Promise<void> {
    const { eventHours, eventsKept: most } = this.settings;
    const before = new Date(now.getTime() - eventHours * 3_600_000);
    return forgetEvents(this.db, { before, most }, this.shouldContinue);
  }

  /** Any number of processes may: each job is deleted under its lock, once. Throws nothing. */
  async expireJobs(at?: Date): Promise<void> {
    try {
      const now = at ?? (await databaseNow(this.db));
      const { find, remove } = this.expiredJobs(now);
      for (const job of await find()) if (!this.stopping) await this.attempt('jobs', () => remove(job));
    } catch (error) {
      log.debug({ err: error }, 'expired jobs could not be deleted; the next run tries again');
    } finally {
      this.expiring = null;
    }
  }

  /** Goes on after what cannot be removed, and while anything can. Throws UNAVAILABLE. */
  private async sweep<T>({ kind, find, remove }: Removal<T>): Promise<void> {
    for (;;) {
      const found = await find();
      let removed = 0;
      for (const one of found) {
        if (!(await this.shouldContinue())) return;
        if (await this.attempt(kind, () => remove(one))) removed += 1;
      }
      swept.inc({ kind }, removed);
      if (found.length < BATCH || removed === 0) return;
    }
  }

  private async attempt(kind: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { code } = AditError.from(error);
      if (code === 'UNAVAILABLE') throw error;
      // Somebody else has removed it.
      if (code !== 'NOT_FOUND')
        log.warn({ kind, err: error }, 'something could not be removed; the next run tries again');
      return false;
    }
  }

  private expiredJobs(now: Date): Removal<JobEntity> {
    // One that a build before this retried runs with the time of its former life: `expire` leaves it alone.
    const where = {
      state: In<JobState>(TERMINAL_JOB_STATES),
      timeExpires: LessThanOrEqual(now),
      timeDeleted: IsNull(),
    };
    return {
      kind: 'jobs',
      find: () => this.db.manager.find(JobEntity, { where, take: BATCH, select: { id: true } }),
      remove: ({ id }) => this.commands.expire(id, now),
    };
  }

  /** What deleted jobs left, when the process that deleted them did not finish. */
  private erasures(): Removal<JobErasureEntity> {
    return {
      kind: 'erasures',
      find: () => this.db.manager.find(JobErasureEntity, { order: { timeCreated: 'ASC' }, take: BATCH }),
      remove: async ({ jobId }) => {
        while ((await this.shouldContinue()) && !(await this.commands.eraseSome(jobId)));
      },
    };
  }

  private deletedTranscripts(): Removal<{ id: string }> {
    return {
      kind: 'transcripts',
      find: () => this.transcripts.left(BATCH),
      remove: ({ id }) => this.transcripts.erase(id, this.shouldContinue),
    };
  }

  private deletedVariants(): Removal<{ id: string }> {
    return {
      kind: 'transcript_variants',
      find: () => this.transcripts.leftVariants(BATCH),
      remove: ({ id }) => this.transcripts.eraseVariant(id, this.shouldContinue),
    };
  }

  /** By now no lease of work in flight is left, so what it wrote late goes too. */
  private tombstones(now: Date): Removal<JobEntity> {
    const where = { timeDeleted: LessThan(new Date(now.getTime() - TOMBSTONE_HOURS * 3_600_000)) };
    return {
      kind: 'tombstones',
      find: () => this.db.manager.find(JobEntity, { where, take: BATCH, select: { id: true } }),
      remove: async ({ id }) => {
        await this.objects.deletePrefix(jobPrefix(id));
        await this.db.manager.delete(JobEntity, { id });
      },
    };
  }

  private artifacts(now: Date): Removal<ArtifactEntity> {
    return {
      kind: 'artifacts',
      find: () => this.db.manager.find(ArtifactEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH }),
      remove: ({ id }) =>
        this.db.query(
          `WITH gone AS (DELETE FROM artifacts WHERE id = $1 AND time_expiration < $2 RETURNING object_key)
           INSERT INTO object_removals (prefix, time_due) SELECT object_key, $2::timestamptz FROM gone`,
          [id, now],
        ),
    };
  }

  /** What a running job still needs is kept until it has ended. */
  private observations(now: Date): Removal<ObservationEntity> {
    return {
      kind: 'observations',
      find: () =>
        this.db
          .createQueryBuilder(ObservationEntity, 'o')
          .where('o.time_expires < :now', { now })
          .andWhere(`NOT ${mediaInUse('o.workspace_id', 'o.media_digest')}`)
          .take(BATCH)
          .getMany(),
      // What was made anew since it was found stays, and so does its file.
      remove: ({ workspaceId, mediaDigest, interval, analysisDigest }) =>
        this.db.query(
          `WITH gone AS (
             DELETE FROM observations WHERE workspace_id = $1 AND media_digest = $2 AND interval = $3
                AND analysis_digest = $4 AND time_expires < $5 AND NOT ${mediaInUse('$1', '$2')} RETURNING object_key)
           INSERT INTO object_removals (prefix, time_due)
           SELECT regexp_replace(object_key, '[^/]*$', ''), $5::timestamptz FROM gone`,
          [workspaceId, mediaDigest, interval, analysisDigest, now],
        ),
    };
  }

  /** Their records; what was imported stays. */
  private datasetImports(now: Date): Removal<DatasetImportEntity> {
    return {
      kind: 'dataset_imports',
      find: () => this.db.manager.find(DatasetImportEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH }),
      remove: ({ id }) =>
        this.db.query(
          `WITH gone AS (DELETE FROM dataset_imports WHERE id = $1 RETURNING id)
           DELETE FROM dataset_import_errors WHERE import_id IN (SELECT id FROM gone)`,
          [id],
        ),
    };
  }

  private media(now: Date): Removal<MediaEntity> {
    return {
      kind: 'media',
      find: () =>
        this.db
          .createQueryBuilder(MediaEntity, 'm')
          .where('m.time_expires < :now', { now })
          .andWhere(`NOT ${mediaInUse('m.workspace_id', 'm.digest')}`)
          // Observations lie in the media's folder and outlive none of it.
          .andWhere(
            'NOT EXISTS (SELECT 1 FROM observations o WHERE o.workspace_id = m.workspace_id AND o.media_digest = m.digest)',
          )
          .take(BATCH)
          .getMany(),
      remove: ({ workspaceId, digest }) =>
        this.db.query(
          `WITH gone AS (
             DELETE FROM media WHERE workspace_id = $1 AND digest = $2 AND time_expires < $3
             RETURNING index_key, concat('media/', workspace_id, '/', digest, '/', generation, '/') AS folder, generation)
           INSERT INTO object_removals (prefix, again, time_due)
           SELECT prefix, true, $3::timestamptz FROM gone, unnest(ARRAY[index_key, CASE WHEN generation IS NOT NULL THEN folder END]) prefix
            WHERE prefix IS NOT NULL`,
          [workspaceId, digest, now],
        ),
    };
  }
}
