import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Models1795281003051 implements MigrationInterface {
  readonly name = 'Models1795281003051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "models" ("id" uuid NOT NULL, "workspace_id" uuid, "name" text NOT NULL, "type" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_ef9ed7160ea69013636466bf2d5" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_970d2728e6c1a13821142126eb" ON "models"  ("workspace_id") `);
    await runner.query(
      `CREATE TABLE "model_versions" ("model_id" uuid NOT NULL, "version_number" integer NOT NULL, "digest" text NOT NULL, "changelog" text NOT NULL DEFAULT '', "source_dataset_id" uuid, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_66c9906881bb55aaa8d59a365a5" PRIMARY KEY ("model_id", "version_number", "digest"))`,
    );
    await runner.query(
      `CREATE TABLE "workspace_models" ("workspace_id" uuid NOT NULL, "model_id" uuid NOT NULL, "description" text, "custom_fields" jsonb NOT NULL DEFAULT '[]', "deleted_versions" jsonb, "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_faeb7e7db680b1be255739fcb04" PRIMARY KEY ("workspace_id", "model_id"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "workspace_models"`);
    await runner.query(`DROP TABLE "model_versions"`);
    await runner.query(`DROP INDEX "public"."IDX_970d2728e6c1a13821142126eb"`);
    await runner.query(`DROP TABLE "models"`);
  }
}
