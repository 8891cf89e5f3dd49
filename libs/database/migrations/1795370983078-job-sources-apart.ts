import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Addresses of sources are read from job_sources alone; the column is written for earlier builds and may be left out. */
export class JobSourcesApart1795370983078 implements MigrationInterface {
  readonly name = 'JobSourcesApart1795370983078';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ALTER COLUMN "sources" SET DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ALTER COLUMN "sources" DROP DEFAULT`);
  }
}
