import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MastersOfJobs1796200100000 implements MigrationInterface {
  readonly name = 'MastersOfJobs1796200100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ADD "conform" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "conform"`);
  }
}
