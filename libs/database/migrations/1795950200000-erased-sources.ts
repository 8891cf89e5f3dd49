import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks sources of ended jobs whose results were erased. */
export class ErasedSources1795950200000 implements MigrationInterface {
  readonly name = 'ErasedSources1795950200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_sources" ADD "erased_end" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_sources" DROP COLUMN "erased_end"`);
  }
}
