import type { FollowedVersion } from '@adit/contracts';
import { isoTime } from '@adit/contracts';
import { columns, SyncedModelEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

type Key = Pick<SyncedModelEntity, 'name' | 'version'>;

/** Records of the versions in the bucket that is synced. */
@Injectable()
export class SyncedRows {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async all(): Promise<SyncedModelEntity[]> {
    return this.db.manager.find(SyncedModelEntity, { order: { name: 'ASC', version: 'ASC' } });
  }

  async shown(): Promise<FollowedVersion[]> {
    return (await this.all()).map(({ name, version, state, problem, digest, timeUpdated }) => ({
      name,
      version_number: version,
      state,
      problem,
      digest,
      time_updated: isoTime(timeUpdated),
    }));
  }

  /** Tells whether versions of that name have come out of the bucket: its numbers are those of the bucket. */
  async owns(name: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query(
      'SELECT 1 FROM followed_models WHERE name = $1 AND digest IS NOT NULL LIMIT 1',
      [name],
    );
    return rows.length > 0;
  }

  /** Tells whether the store has numbered versions of that name that did not come out of the bucket. */
  async isTaken(name: string): Promise<boolean> {
    if (await this.owns(name)) return false;
    const rows: unknown[] = await this.db.query(
      'SELECT 1 FROM models WHERE name = $1 AND workspace_id IS NULL AND last_version > 0',
      [name],
    );
    return rows.length > 0;
  }

  async write(row: Key & Partial<SyncedModelEntity>): Promise<void> {
    await this.db.manager.upsert(SyncedModelEntity, columns<SyncedModelEntity>(row), ['name', 'version']);
  }

  async change({ name, version }: Key, fields: Partial<SyncedModelEntity>): Promise<void> {
    await this.db.manager.update(SyncedModelEntity, { name, version }, columns<SyncedModelEntity>(fields));
  }

  async forget({ name, version }: Key): Promise<void> {
    await this.db.manager.delete(SyncedModelEntity, { name, version });
  }
}
