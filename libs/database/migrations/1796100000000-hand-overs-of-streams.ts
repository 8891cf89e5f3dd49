import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HandOversOfStreams1796100000000 implements MigrationInterface {
  readonly name = 'HandOversOfStreams1796100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "streams" ADD "handing_over" boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE "streams" ADD "successor_until" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "successor_until"`);
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "handing_over"`);
  }
}
