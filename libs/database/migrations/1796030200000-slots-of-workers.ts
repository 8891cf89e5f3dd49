import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What workers announce, so that the scheduler knows how much is there. */
export class SlotsOfWorkers1796030200000 implements MigrationInterface {
  readonly name = 'SlotsOfWorkers1796030200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "leases" ADD "slots" integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "leases" DROP COLUMN "slots"`);
  }
}
