import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Looks1795410500000 implements MigrationInterface {
  readonly name = 'Looks1795410500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "looks" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "source" text, "object_key" text, "question" jsonb NOT NULL, "taken" boolean NOT NULL DEFAULT false, "answer" jsonb, "problem" jsonb, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_3ea642af2569dcf9ccc20e30e21" PRIMARY KEY ("id"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "looks"`);
  }
}
