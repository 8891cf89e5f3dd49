import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Audio1795390100000 implements MigrationInterface {
  readonly name = 'Audio1795390100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_analyses" ADD "audio" jsonb`);
    await runner.query(`ALTER TABLE "media" ADD "audio_grid" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "media" DROP COLUMN "audio_grid"`);
    await runner.query(`ALTER TABLE "job_analyses" DROP COLUMN "audio"`);
  }
}
