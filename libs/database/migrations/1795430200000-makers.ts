import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Makers1795430200000 implements MigrationInterface {
  readonly name = 'Makers1795430200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "observations" ADD "maker" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "observations" DROP COLUMN "maker"`);
  }
}
