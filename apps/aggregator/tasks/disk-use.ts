import { diskBytes } from '../metrics.js';
import { join, resolve } from 'node:path';
import { DISK_KINDS, type DiskKind } from '@adit/contracts';
import { DiskUseEntity } from '@adit/database';
import { InstallationLease } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { BackgroundService } from '@adit/outbox';
import { createLogger, folderBytes } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';

const log = createLogger('disk-use');
/** Period of the check for a due measurement. */
const PERIOD_MS = 5 * 60_000;
/**
 * Ratio of pause to the time of a measurement: the object store is listed for a small part of the time, however large
 * it is.
 */
const RESTS = 50;
const LEASE_SECONDS = 300;
/** Kind of an object by the first part of its key; anything else is `other`. */
const KIND_OF: Readonly<Record<string, DiskKind>> = {
  ...{ storage: 'uploads', jobs: 'jobs', exports: 'jobs', reports: 'jobs' },
  ...{ media: 'cache', models: 'models', dictionaries: 'other' },
};

interface Use {
  kind: DiskKind;
  bytes: number;
  objects: number | null;
}

/**
 * Measures the installation's disk use from time to time: one process does, and stores the figures that all of them
 * report by metrics and the API.
 */
@Injectable()
export class DiskUses extends BackgroundService {
  private readonly lease: InstallationLease;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: Pick<AggregatorSettings, 'dataDir' | 'diskUseMinutes'>,
  ) {
    super('disk-use', PERIOD_MS);
    this.lease = new InstallationLease(db, 'disk-use', LEASE_SECONDS);
    observeDiskUse(db);
  }

  /** Public for the specs. */
  async round(): Promise<void> {
    if (!(await this.isTime()) || !(await this.lease.take())) return;
    try {
      const began = performance.now();
      const uses = await this.measure();
      if (uses !== null) await this.note(uses, (performance.now() - began) / 1000);
    } finally {
      await this.lease.release();
    }
  }

  private async isTime(): Promise<boolean> {
    const [row]: { due: boolean }[] = await this.db.query(
      'SELECT count(*) = 0 OR max(time_due) <= now() AS due FROM disk_uses',
    );
    return row?.due === true;
  }

  /** Measures; null when it was aborted. */
  private async measure(): Promise<Use[] | null> {
    const stored = new Map<DiskKind, { bytes: number; objects: number }>(
      DISK_KINDS.filter((kind) => kind !== 'database' && kind !== 'work').map((kind) => [
        kind,
        { bytes: 0, objects: 0 },
      ]),
    );
    for await (const { key, size } of this.objects.list('')) {
      const sum = stored.get(KIND_OF[key.slice(0, key.indexOf('/'))] ?? 'other');
      if (sum === undefined) continue;
      sum.bytes += size;
      sum.objects += 1;
      if (sum.objects % 1_000 === 0 && (this.stopping || !(await this.lease.keep()))) return null;
    }
    const [database]: { bytes: string }[] = await this.db.query('SELECT pg_database_size(current_database()) AS bytes');
    const work = await folderBytes(join(resolve(this.settings.dataDir), 'work'));
    return [
      ...[...stored].map(([kind, sum]) => ({ kind, ...sum })),
      { kind: 'database', bytes: Number(database?.bytes ?? 0), objects: null },
      // There is none here where decoders run on other machines.
      ...(work.files === 0 ? [] : [{ kind: 'work' as const, bytes: work.bytes, objects: work.files }]),
    ];
  }

  private async note(uses: readonly Use[], seconds: number): Promise<void> {
    const pause = Math.max(this.settings.diskUseMinutes * 60, RESTS * seconds);
    await this.db.query(
      `WITH gone AS (DELETE FROM disk_uses WHERE kind <> ALL($1::text[]))
       INSERT INTO disk_uses (kind, bytes, objects, time_measured, time_due)
       SELECT kind, bytes, objects, now(), now() + make_interval(secs => $4)
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS v (kind, bytes, objects)
       ON CONFLICT (kind) DO UPDATE SET bytes = excluded.bytes, objects = excluded.objects,
              time_measured = excluded.time_measured, time_due = excluded.time_due`,
      [uses.map(({ kind }) => kind), uses.map(({ bytes }) => bytes), uses.map(({ objects }) => objects), pause],
    );
    log.debug({ uses, seconds }, 'disk use was measured');
  }
}

/** Gauge read from the database when metrics are scraped. */
function observeDiskUse(db: DataSource): void {
  diskBytes(async (bytes) => {
    bytes.reset();
    for (const use of await db.manager.find(DiskUseEntity)) bytes.set({ kind: use.kind }, Number(use.bytes));
  });
}
