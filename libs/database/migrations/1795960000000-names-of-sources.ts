import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NamesOfSources1795960000000 implements MigrationInterface {
  readonly name = 'NamesOfSources1795960000000';

  /** Jobs that are there are shown by the addresses of their sources, as before. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_sources" ADD "name" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "job_sources" DROP COLUMN "name"`);
  }
}
