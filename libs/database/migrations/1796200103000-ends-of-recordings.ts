import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** The sweeper finds the recordings of a workspace that are kept the longest, without a look at other jobs. */
export class EndsOfRecordings1796200103000 implements MigrationInterface {
  readonly name = 'EndsOfRecordings1796200103000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(
      runner,
      'jobs_recorded',
      `ON "jobs" ("workspace_id", "time_completed") WHERE recorded AND time_completed IS NOT NULL AND time_deleted IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'jobs_recorded');
  }
}
