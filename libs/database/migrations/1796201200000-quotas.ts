import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Quotas1796201200000 implements MigrationInterface {
  readonly name = 'Quotas1796201200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "workspaces" ADD "quotas" jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "quotas"`);
  }
}
