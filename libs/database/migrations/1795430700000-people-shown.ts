import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PeopleShown1795430700000 implements MigrationInterface {
  readonly name = 'PeopleShown1795430700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "summaries" ADD "people" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "summaries" DROP COLUMN "people"`);
  }
}
