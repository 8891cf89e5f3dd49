import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** Retention finds the jobs that looked for exports which have ended. */
export class JobsOfExports1796240000001 implements MigrationInterface {
  readonly name = 'JobsOfExports1796240000001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const where = 'WHERE export_id IS NOT NULL AND time_deleted IS NULL';
    await makeIndex(runner, 'jobs_of_exports', `ON "jobs" ("export_id") ${where}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'jobs_of_exports');
  }
}
