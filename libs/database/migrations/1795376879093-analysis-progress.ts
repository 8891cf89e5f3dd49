import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AnalysisProgress1795376879093 implements MigrationInterface {
  readonly name = 'AnalysisProgress1795376879093';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunk_analyses" ADD "progress" real NOT NULL DEFAULT '0'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunk_analyses" DROP COLUMN "progress"`);
  }
}
