import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ModelStore1795400300000 implements MigrationInterface {
  readonly name = 'ModelStore1795400300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "models" ADD "default_version" integer`);
    await runner.query(`ALTER TABLE "model_versions" ADD "manifest" jsonb`);
    await runner.query(`ALTER TABLE "model_versions" ADD "files" jsonb`);
    await runner.query(`ALTER TABLE "model_versions" ADD "object_prefix" text`);
    await runner.query(`ALTER TABLE "model_versions" ADD "metrics" jsonb`);
    await runner.query(`ALTER TABLE "model_versions" ADD "time_retired" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "model_versions" DROP COLUMN "time_retired"`);
    await runner.query(`ALTER TABLE "model_versions" DROP COLUMN "metrics"`);
    await runner.query(`ALTER TABLE "model_versions" DROP COLUMN "object_prefix"`);
    await runner.query(`ALTER TABLE "model_versions" DROP COLUMN "files"`);
    await runner.query(`ALTER TABLE "model_versions" DROP COLUMN "manifest"`);
    await runner.query(`ALTER TABLE "models" DROP COLUMN "default_version"`);
  }
}
