import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MakersOfKeys1796230000000 implements MigrationInterface {
  readonly name = 'MakersOfKeys1796230000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_keys" ADD "maker_id" uuid`);
    await runner.query(`ALTER TABLE "access_keys" ADD "maker_id" uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "access_keys" DROP COLUMN "maker_id"`);
    await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "maker_id"`);
  }
}
