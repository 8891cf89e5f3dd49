import type { FollowedVersion } from '@adit/contracts';
import { isoTime } from '@adit/contracts';
import { columns, FollowedModelEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

type Key = Pick<FollowedModelEntity, 'name' | 'version'>;

/** Records of the versions in the bucket that is synced. */
@Injectable()
export class FollowedRows {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async all(): Promise<FollowedModelEntity[]> {
    return this.db.manager.find(FollowedModelEntity, { order: { name: 'ASC', version: 'ASC' } });
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

  async write(row: Key & Partial<FollowedModelEntity>): Promise<void> {
    await this.db.manager.upsert(FollowedModelEntity, columns<FollowedModelEntity>(row), ['name', 'version']);
  }

  async change({ name, version }: Key, fields: Partial<FollowedModelEntity>): Promise<void> {
    await this.db.manager.update(FollowedModelEntity, { name, version }, columns<FollowedModelEntity>(fields));
  }

  async forget({ name, version }: Key): Promise<void> {
    await this.db.manager.delete(FollowedModelEntity, { name, version });
  }
}
