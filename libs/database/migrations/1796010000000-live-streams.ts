import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LiveStreams1796010000000 implements MigrationInterface {
  readonly name = 'LiveStreams1796010000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "folds" ADD "next_live" integer`);
    await runner.query(`ALTER TABLE "folds" ADD "announced" jsonb`);
    await runner.query(`ALTER TABLE "jobs" ADD "time_stop_asked" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "time_stop_asked"`);
    await runner.query(`ALTER TABLE "folds" DROP COLUMN "announced"`);
    await runner.query(`ALTER TABLE "folds" DROP COLUMN "next_live"`);
  }
}
