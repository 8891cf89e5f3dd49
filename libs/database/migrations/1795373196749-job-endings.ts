import type { MigrationInterface, QueryRunner } from 'typeorm';

export class JobEndings1795373196749 implements MigrationInterface {
  readonly name = 'JobEndings1795373196749';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "job_endings" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "error_msg" text, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "job_id" uuid NOT NULL, CONSTRAINT "PK_8eb0db6008e6e303bd608aebbe8" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_ee865b4be79ce8c9b855d6922b" ON "job_endings"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_5d9192c97815c7dd6c85f59471" ON "job_endings"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_5d9192c97815c7dd6c85f59471"`);
    await runner.query(`DROP INDEX "public"."IDX_ee865b4be79ce8c9b855d6922b"`);
    await runner.query(`DROP TABLE "job_endings"`);
  }
}
