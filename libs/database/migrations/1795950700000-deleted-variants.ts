import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeletedVariants1795950700000 implements MigrationInterface {
  readonly name = 'DeletedVariants1795950700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "transcript_variants" ADD "time_deleted" TIMESTAMP WITH TIME ZONE`);
    await runner.query(
      `CREATE INDEX "IDX_c12ae07ccbda8e194d46505198" ON "transcript_variants"  ("time_deleted") WHERE time_deleted IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_c12ae07ccbda8e194d46505198"`);
    await runner.query(`ALTER TABLE "transcript_variants" DROP COLUMN "time_deleted"`);
  }
}
