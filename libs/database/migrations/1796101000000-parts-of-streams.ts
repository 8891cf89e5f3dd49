import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Live streams whose job is one of several parts. */
export class PartsOfStreams1796101000000 implements MigrationInterface {
  readonly name = 'PartsOfStreams1796101000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ADD "rotate_seconds" integer`);
    await runner.query(`ALTER TABLE "jobs" ADD "previous_part" uuid`);
    await runner.query(`ALTER TABLE "jobs" ADD "next_part" uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "next_part"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "previous_part"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "rotate_seconds"`);
  }
}
