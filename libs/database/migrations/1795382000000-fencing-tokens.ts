import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FencingTokens1795382000000 implements MigrationInterface {
  readonly name = 'FencingTokens1795382000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_sources" ADD "fencing_token" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "chunks" ADD "fencing_token" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "chunk_analyses" ADD "fencing_token" integer NOT NULL DEFAULT '0'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunk_analyses" DROP COLUMN "fencing_token"`);
    await runner.query(`ALTER TABLE "chunks" DROP COLUMN "fencing_token"`);
    await runner.query(`ALTER TABLE "job_sources" DROP COLUMN "fencing_token"`);
  }
}
