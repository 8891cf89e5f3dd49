import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LooksOfExports1796240000000 implements MigrationInterface {
  readonly name = 'LooksOfExports1796240000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ADD "export_id" uuid`);
    await runner.query(`ALTER TABLE "exports" ADD "looks" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "looks"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "export_id"`);
  }
}
