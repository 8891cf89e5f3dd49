import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Datasets1795400500000 implements MigrationInterface {
  readonly name = 'Datasets1795400500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "datasets" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "seq" BIGSERIAL NOT NULL, "name" text NOT NULL, "description" text NOT NULL DEFAULT '', "type" text NOT NULL, "changes" integer NOT NULL DEFAULT '1', "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_1bf831e43c559a240303e23d038" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_ebb8c371a6336670bc5d8cc4fc" ON "datasets"  ("workspace_id", "seq") WHERE time_deleted IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "dataset_classes" ("state" text NOT NULL DEFAULT 'waiting', "attempts" integer NOT NULL DEFAULT '0', "fencing_token" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "error_msg" text, "id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "dataset_id" uuid NOT NULL, "seq" BIGSERIAL NOT NULL, "reference" text NOT NULL, "label" text NOT NULL, "active" boolean NOT NULL DEFAULT true, "notes" text NOT NULL DEFAULT '', "expiration_date" TIMESTAMP WITH TIME ZONE, "level" double precision NOT NULL DEFAULT '0', "custom_fields" jsonb NOT NULL DEFAULT '[]', "images" integer NOT NULL DEFAULT '0', "active_images" integer NOT NULL DEFAULT '0', "evaluated_images" integer NOT NULL DEFAULT '0', "faulty_images" integer NOT NULL DEFAULT '0', "changes" integer NOT NULL DEFAULT '1', "evaluation_result" jsonb NOT NULL DEFAULT '{}', "gender" text, "time_evaluated" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_c3ede5b4b4028b58c9fb51a91e9" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_4391ab9c2fdd592c6d6f3868c2" ON "dataset_classes"  ("workspace_id") `);
    await runner.query(
      `CREATE INDEX "IDX_0004c49881c8ca6ce05fe2fe9e" ON "dataset_classes"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "IDX_afe6d4ce0de59ce3ca38666846" ON "dataset_classes"  ("dataset_id", "reference") WHERE time_deleted IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_faf71786bd0eb47f2840ae082b" ON "dataset_classes"  ("dataset_id", "seq") WHERE time_deleted IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "dataset_images" ("state" text NOT NULL DEFAULT 'waiting', "attempts" integer NOT NULL DEFAULT '0', "fencing_token" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "error_msg" text, "id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "dataset_id" uuid NOT NULL, "class_id" uuid NOT NULL, "seq" BIGSERIAL NOT NULL, "storage_key" text NOT NULL, "owns_file" boolean NOT NULL DEFAULT false, "active" boolean NOT NULL DEFAULT true, "notes" text NOT NULL DEFAULT '', "is_auto_generated" boolean NOT NULL DEFAULT false, "digest" text, "evaluation_result" jsonb NOT NULL DEFAULT '{}', "clustering" text, "time_evaluated" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_7c6795936ef7db3c63e0763c5fc" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_bd9d402b3ddd20af7c6b240d96" ON "dataset_images"  ("dataset_id") `);
    await runner.query(
      `CREATE INDEX "IDX_44ac32068e289f7821f5e059c2" ON "dataset_images"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE INDEX "IDX_1dcb1cfacb506db06f92cd51de" ON "dataset_images"  ("dataset_id", "clustering", "seq") WHERE clustering <> 'match'`,
    );
    await runner.query(
      `CREATE INDEX "IDX_f35794af12ad0bc636f7a003ef" ON "dataset_images"  ("workspace_id", "digest") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_b5c8c039c66b6c699d9a888355" ON "dataset_images"  ("workspace_id", "storage_key") `,
    );
    await runner.query(`CREATE INDEX "IDX_915c41df96ef3db5d86d93da4e" ON "dataset_images"  ("class_id", "seq") `);
    await runner.query(
      `CREATE TABLE "dataset_looks" ("workspace_id" uuid NOT NULL, "digest" text NOT NULL, "analysis_digest" text NOT NULL, "look" jsonb NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_156cc738557c6c9e44b4a6d7652" PRIMARY KEY ("workspace_id", "digest", "analysis_digest"))`,
    );
    await runner.query(
      `CREATE TABLE "dataset_erasures" ("state" text NOT NULL DEFAULT 'waiting', "attempts" integer NOT NULL DEFAULT '0', "fencing_token" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "error_msg" text, "id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "dataset_id" uuid NOT NULL, "class_id" uuid, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_5f7062d27f8a122f48d61e91552" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_74045e9b274e2ef24df8597cc9" ON "dataset_erasures"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_74045e9b274e2ef24df8597cc9"`);
    await runner.query(`DROP TABLE "dataset_erasures"`);
    await runner.query(`DROP TABLE "dataset_looks"`);
    await runner.query(`DROP INDEX "public"."IDX_915c41df96ef3db5d86d93da4e"`);
    await runner.query(`DROP INDEX "public"."IDX_b5c8c039c66b6c699d9a888355"`);
    await runner.query(`DROP INDEX "public"."IDX_f35794af12ad0bc636f7a003ef"`);
    await runner.query(`DROP INDEX "public"."IDX_1dcb1cfacb506db06f92cd51de"`);
    await runner.query(`DROP INDEX "public"."IDX_44ac32068e289f7821f5e059c2"`);
    await runner.query(`DROP INDEX "public"."IDX_bd9d402b3ddd20af7c6b240d96"`);
    await runner.query(`DROP TABLE "dataset_images"`);
    await runner.query(`DROP INDEX "public"."IDX_faf71786bd0eb47f2840ae082b"`);
    await runner.query(`DROP INDEX "public"."IDX_afe6d4ce0de59ce3ca38666846"`);
    await runner.query(`DROP INDEX "public"."IDX_0004c49881c8ca6ce05fe2fe9e"`);
    await runner.query(`DROP INDEX "public"."IDX_4391ab9c2fdd592c6d6f3868c2"`);
    await runner.query(`DROP TABLE "dataset_classes"`);
    await runner.query(`DROP INDEX "public"."IDX_ebb8c371a6336670bc5d8cc4fc"`);
    await runner.query(`DROP TABLE "datasets"`);
  }
}
