import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MediaOfModules1795384000000 implements MigrationInterface {
  readonly name = 'MediaOfModules1795384000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_modules" ADD "media" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_modules" DROP COLUMN "media"`);
  }
}
