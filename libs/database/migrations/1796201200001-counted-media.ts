import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountedMedia1796201200001 implements MigrationInterface {
  readonly name = 'CountedMedia1796201200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunks" ADD "media_counted" text array NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunks" DROP COLUMN "media_counted"`);
  }
}
