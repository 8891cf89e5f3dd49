import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReachOfIdentities1795745220731 implements MigrationInterface {
  readonly name = 'ReachOfIdentities1795745220731';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "identities" ADD "max_distance" double precision`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "identities" DROP COLUMN "max_distance"`);
  }
}
