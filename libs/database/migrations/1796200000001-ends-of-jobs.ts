import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** The sweeper finds the jobs and files of a workspace that are kept the longest. */
export class EndsOfJobs1796200000001 implements MigrationInterface {
  readonly name = 'EndsOfJobs1796200000001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(
      runner,
      'jobs_ended',
      `ON "jobs" ("workspace_id", "time_completed") WHERE time_completed IS NOT NULL AND time_deleted IS NULL`,
    );
    await makeIndex(
      runner,
      'storage_entries_uploaded',
      `ON "storage_entries" ("workspace_id", "time_uploaded") WHERE uploaded AND NOT is_folder`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'storage_entries_uploaded');
    await dropIndex(runner, 'jobs_ended');
  }
}
