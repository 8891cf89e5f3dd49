import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Trainings1795400500001 implements MigrationInterface {
  readonly name = 'Trainings1795400500001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "trainings" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "seq" BIGSERIAL NOT NULL, "dataset_id" uuid NOT NULL, "type" text NOT NULL, "dataset" jsonb NOT NULL, "model_name" text NOT NULL, "model_description" text NOT NULL DEFAULT '', "model_changelog" text NOT NULL DEFAULT '', "config" jsonb NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "error_msg" text, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "progress" double precision NOT NULL DEFAULT '0', "model_id" uuid, "model_version" integer, "report" jsonb, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_started" TIMESTAMP WITH TIME ZONE, "time_completed" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_b67237502b175163e47dc85018d" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_555c7c0d2f7ddb57b4023ba889" ON "trainings"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`CREATE INDEX "IDX_a5dac356d02d3184183c3be588" ON "trainings"  ("workspace_id", "seq") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_a5dac356d02d3184183c3be588"`);
    await runner.query(`DROP INDEX "public"."IDX_555c7c0d2f7ddb57b4023ba889"`);
    await runner.query(`DROP TABLE "trainings"`);
  }
}
