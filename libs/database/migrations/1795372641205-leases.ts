import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Leases1795372641205 implements MigrationInterface {
  readonly name = 'Leases1795372641205';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "leases" ("name" text NOT NULL, "holder" uuid NOT NULL, "lease_until" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_8f564523b661f9e2648c3377687" PRIMARY KEY ("name"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "leases"`);
  }
}
