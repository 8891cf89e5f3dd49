import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DatasetExports1795410400001 implements MigrationInterface {
  readonly name = 'DatasetExports1795410400001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" ADD "dataset_id" uuid`);
    await runner.query(`CREATE INDEX "IDX_da2396e617e90f16c2b5014913" ON "exports"  ("dataset_id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_da2396e617e90f16c2b5014913"`);
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "dataset_id"`);
  }
}
