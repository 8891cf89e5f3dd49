import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Probes1795374172153 implements MigrationInterface {
  readonly name = 'Probes1795374172153';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "probes" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "sources" text array NOT NULL, "taken" boolean NOT NULL DEFAULT false, "results" jsonb, "unavailable" boolean NOT NULL DEFAULT false, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_7c839c90f8cb3aff3f99b122d0f" PRIMARY KEY ("id"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "probes"`);
  }
}
