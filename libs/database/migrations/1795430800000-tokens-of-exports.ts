import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TokensOfExports1795430800000 implements MigrationInterface {
  readonly name = 'TokensOfExports1795430800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" ADD "fencing_token" integer NOT NULL DEFAULT '0'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "fencing_token"`);
  }
}
