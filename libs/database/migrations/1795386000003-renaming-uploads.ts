import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RenamingUploads1795386000003 implements MigrationInterface {
  readonly name = 'RenamingUploads1795386000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "storage_entries" ADD "renames" boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "renames"`);
  }
}
