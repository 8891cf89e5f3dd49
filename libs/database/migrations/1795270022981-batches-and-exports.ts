import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BatchesAndExports1795270022981 implements MigrationInterface {
  readonly name = 'BatchesAndExports1795270022981';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "batches" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "parent_id" uuid, "name" text NOT NULL, "description" text NOT NULL DEFAULT '', "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_55e7ff646e969b61d37eea5be7a" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_db783e9b41c905e2985c11e4f8" ON "batches"  ("parent_id") `);
    await runner.query(
      `CREATE INDEX "IDX_a3c13d537c3da16341ee7b2e1f" ON "batches"  ("time_deleted") WHERE time_deleted IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_493ab7538f134160343ca4e3e6" ON "batches"  ("workspace_id", "time_created") `);
    await runner.query(
      `CREATE TABLE "reports" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "error_msg" text, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "batch_id" uuid NOT NULL, "title" text NOT NULL, CONSTRAINT "PK_d9013193989303580053c0b5ef6" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_2305b084f2eec31b1d2dadcec9" ON "reports"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`CREATE INDEX "IDX_e2629d2b0433495bf3b35bf1ca" ON "reports"  ("workspace_id", "time_created") `);
    await runner.query(
      `CREATE TABLE "report_items" ("report_id" uuid NOT NULL, "position" integer NOT NULL, "batch_id" uuid NOT NULL, "info" jsonb NOT NULL, CONSTRAINT "PK_fb51e40bd99143455c1b2bec7c9" PRIMARY KEY ("report_id", "position"))`,
    );
    await runner.query(
      `CREATE TABLE "exports" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "error_msg" text, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "strategy" text NOT NULL, "config" jsonb NOT NULL, "job_id" uuid, "progress" double precision NOT NULL DEFAULT '0', "time_completed" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_bcf8528d214cbfc68c01f337511" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_20574d4c759d64726419d4d495" ON "exports"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_a68618d1a22dde10de360f4c3d" ON "exports"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`CREATE INDEX "IDX_748ea8717e62fe980a87a083fc" ON "exports"  ("workspace_id", "time_created") `);
    await runner.query(`ALTER TABLE "jobs" ADD "batch_id" uuid`);
    await runner.query(`ALTER TABLE "artifacts" ADD "export_id" uuid`);
    await runner.query(
      `CREATE INDEX "IDX_517d59b8c32a047336fc08b8c0" ON "jobs"  ("batch_id", "time_created") WHERE batch_id IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_f265831ce811dadee150e5e867" ON "artifacts"  ("export_id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_f265831ce811dadee150e5e867"`);
    await runner.query(`DROP INDEX "public"."IDX_517d59b8c32a047336fc08b8c0"`);
    await runner.query(`ALTER TABLE "artifacts" DROP COLUMN "export_id"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "batch_id"`);
    await runner.query(`DROP INDEX "public"."IDX_748ea8717e62fe980a87a083fc"`);
    await runner.query(`DROP INDEX "public"."IDX_a68618d1a22dde10de360f4c3d"`);
    await runner.query(`DROP INDEX "public"."IDX_20574d4c759d64726419d4d495"`);
    await runner.query(`DROP TABLE "exports"`);
    await runner.query(`DROP TABLE "report_items"`);
    await runner.query(`DROP INDEX "public"."IDX_e2629d2b0433495bf3b35bf1ca"`);
    await runner.query(`DROP INDEX "public"."IDX_2305b084f2eec31b1d2dadcec9"`);
    await runner.query(`DROP TABLE "reports"`);
    await runner.query(`DROP INDEX "public"."IDX_493ab7538f134160343ca4e3e6"`);
    await runner.query(`DROP INDEX "public"."IDX_a3c13d537c3da16341ee7b2e1f"`);
    await runner.query(`DROP INDEX "public"."IDX_db783e9b41c905e2985c11e4f8"`);
    await runner.query(`DROP TABLE "batches"`);
  }
}
