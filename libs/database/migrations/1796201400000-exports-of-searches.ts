import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports of what a search found name the jobs and the texts that they hold something of. */
export class ExportsOfSearches1796201400000 implements MigrationInterface {
  readonly name = 'ExportsOfSearches1796201400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" ADD "found_in" uuid array`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "found_in"`);
  }
}
