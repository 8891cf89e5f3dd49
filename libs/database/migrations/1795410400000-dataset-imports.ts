import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DatasetImports1795410400000 implements MigrationInterface {
  readonly name = 'DatasetImports1795410400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "dataset_imports" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "dataset_id" uuid NOT NULL, "seq" BIGSERIAL NOT NULL, "storage_key" text, "folder" text, "state" text NOT NULL DEFAULT 'waiting', "error_msg" text, "attempts" integer NOT NULL DEFAULT '0', "fencing_token" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "cursor" text, "counted_from" text, "files" integer NOT NULL DEFAULT '0', "images" integer NOT NULL DEFAULT '0', "classes" integer NOT NULL DEFAULT '0', "errors" integer NOT NULL DEFAULT '0', "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_started" TIMESTAMP WITH TIME ZONE, "time_completed" TIMESTAMP WITH TIME ZONE, "time_expiration" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_310c65aeb862821f13f01e83f33" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_c691e1b49df2d4f6e797cb57b9" ON "dataset_imports"  ("time_expiration") `);
    await runner.query(
      `CREATE INDEX "IDX_d72974eb2c5fe669a251b4c7f6" ON "dataset_imports"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`CREATE INDEX "IDX_ad8e50940de3a05064b0ec2b6f" ON "dataset_imports"  ("workspace_id") `);
    await runner.query(`CREATE INDEX "IDX_60ac814dddf4e2fbbd034f0165" ON "dataset_imports"  ("dataset_id", "seq") `);
    await runner.query(
      `CREATE TABLE "dataset_import_errors" ("import_id" uuid NOT NULL, "position" integer NOT NULL, "file" text NOT NULL, "code" text NOT NULL, "message" text NOT NULL, CONSTRAINT "PK_03828748ac72dd8010e97045fd7" PRIMARY KEY ("import_id", "position"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "dataset_import_errors"`);
    await runner.query(`DROP INDEX "public"."IDX_60ac814dddf4e2fbbd034f0165"`);
    await runner.query(`DROP INDEX "public"."IDX_ad8e50940de3a05064b0ec2b6f"`);
    await runner.query(`DROP INDEX "public"."IDX_d72974eb2c5fe669a251b4c7f6"`);
    await runner.query(`DROP INDEX "public"."IDX_c691e1b49df2d4f6e797cb57b9"`);
    await runner.query(`DROP TABLE "dataset_imports"`);
  }
}
