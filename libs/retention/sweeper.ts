import { databaseNow } from '@adit/database';
import { DictionaryStore } from '@adit/dictionaries';
import { BatchCommands, JOB_SETTINGS, JOBS_EXPIRE, JobCommands, LOOKS_ARE_LEFT, type JobSettings } from '@adit/jobs';
import { DueWork, InstallationLease, removeLostSigns } from '@adit/leases';
import { ModelStore } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasRemoved, type RetentionPass } from './rule.js';
import { RETENTION_RULES } from './rules.js';
import { expiredJobs, looks } from './rules/expired-jobs.js';
import { storeInstallationValues, type RetentionValues } from './values.js';

const log = createLogger('sweeper');
const PERIOD_MILLISECONDS = 60_000;
/** Lease that outlasts the removal of any one row. */
const LEASE_SECONDS = 300;

type SweeperSettings = Pick<
  JobSettings,
  | 'eventHours'
  | 'eventsKept'
  | 'observationSeconds'
  | 'artifactSeconds'
  | 'recordingSeconds'
  | 'uploadSeconds'
  | 'receiptSeconds'
>;

/**
 * Removes expired rows and objects. One process of the installation does, for as long as there is something to
 * remove.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lease: InstallationLease;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private unwatch: (() => Promise<void>) | null = null;
  private expiring: Promise<void> | null = null;
  private stopping = false;
  private readonly walks: RetentionPass['walks'] = {
    ...{ results: new Map(), recordings: new Map() },
    ...{ uploads: new Map(), faces: new Map() },
  };

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JobCommands) private readonly jobs: JobCommands,
    @Inject(DictionaryStore) private readonly dictionaries: DictionaryStore,
    @Inject(ModelStore) private readonly models: ModelStore,
    @Inject(BatchCommands) private readonly batches: BatchCommands,
    @Inject(JOB_SETTINGS) private readonly settings: SweeperSettings,
  ) {
    this.lease = new InstallationLease(db, 'sweeper', LEASE_SECONDS);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void (this.running ??= this.run()), PERIOD_MILLISECONDS);
    const found = (): void => void (this.expiring ??= this.expireJobs());
    this.unwatch = DueWork.of(this.db).watch({
      name: 'expired-jobs',
      due: `${JOBS_EXPIRE} OR ${LOOKS_ARE_LEFT}`,
      found,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await Promise.all([this.running, this.expiring, this.unwatch?.()]);
  }

  /** Runs one pass over all rules; none while another process sweeps. Specs set the time. Throws nothing. */
  async run(at?: Date): Promise<void> {
    try {
      if (!(await this.lease.take())) return;
      try {
        const pass = await this.pass(at);
        await removeLostSigns(this.db);
        await storeInstallationValues(this.db, valuesOf(this.settings));
        for (const rule of RETENTION_RULES) await rule.apply(pass);
      } finally {
        await this.lease.release();
      }
    } catch (error) {
      log.warn({ err: error }, 'sweeping failed; the next run tries again');
    } finally {
      this.running = null;
    }
  }

  /**
   * Deletes jobs whose ttl is over, and those of exports that have ended. Several processes may: each job is deleted under its lock, once. Throws nothing.
   */
  async expireJobs(at?: Date): Promise<void> {
    try {
      const pass = await this.pass(at);
      for (const { kind, find, remove } of [expiredJobs, looks]) {
        for (const job of await find(pass)) if (!this.stopping) await hasRemoved(kind, () => remove(job, pass));
      }
    } catch (error) {
      log.debug({ err: error }, 'expired jobs could not be deleted; the next run tries again');
    } finally {
      this.expiring = null;
    }
  }

  private async pass(at?: Date): Promise<RetentionPass> {
    const { db, objects, jobs, batches, dictionaries, models, settings, walks } = this;
    const now = at ?? (await databaseNow(db));
    const shouldContinue = async () => !this.stopping && (await this.lease.keep());
    return { now, db, objects, jobs, batches, dictionaries, models, settings, walks, shouldContinue };
  }
}

/** Retention of the installation by kind; the gateway has the settings of the other kinds. */
function valuesOf(settings: SweeperSettings): Partial<RetentionValues> {
  return {
    observations: settings.observationSeconds,
    artifacts: settings.artifactSeconds,
    recordings: settings.recordingSeconds,
    uploads: settings.uploadSeconds ?? null,
    receipts: settings.receiptSeconds ?? null,
  };
}
