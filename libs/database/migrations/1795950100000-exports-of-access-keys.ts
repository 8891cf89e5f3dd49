import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExportsOfAccessKeys1795950100000 implements MigrationInterface {
  readonly name = 'ExportsOfAccessKeys1795950100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "access_keys" ADD "export_strategies" jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "access_keys" DROP COLUMN "export_strategies"`);
  }
}
