import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs of one programme of a transport stream. */
export class Programmes1796100600001 implements MigrationInterface {
  readonly name = 'Programmes1796100600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ADD "program" integer`);
    await runner.query(`ALTER TABLE "media" ADD "part_of" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "media" DROP COLUMN "part_of"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "program"`);
  }
}
