import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Clips1796200000000 implements MigrationInterface {
  readonly name = 'Clips1796200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "clips" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "job_id" uuid NOT NULL, "digest" text NOT NULL, "cut" jsonb NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_expires" TIMESTAMP WITH TIME ZONE, "object_key" text, "mime_type" text, "size" bigint, "error_code" text, "error_msg" text, CONSTRAINT "clips_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "clips_of_job" ON "clips"  ("job_id", "digest") `);
    await runner.query(`CREATE INDEX "clips_of_workspace" ON "clips"  ("workspace_id") `);
    await runner.query(
      `CREATE INDEX "clips_open" ON "clips"  ("workspace_id", "time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE INDEX "clips_expiring" ON "clips"  ("time_expires") WHERE state IN ('completed', 'failed')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "clips"`);
  }
}
