import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StorageCredentials1796100600000 implements MigrationInterface {
  readonly name = 'StorageCredentials1796100600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "storage_credentials" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "bucket" text NOT NULL, "endpoint" text NOT NULL, "region" text NOT NULL, "access_key" text NOT NULL, "secret_key" text NOT NULL, "path_style" boolean NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "storage_credentials_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "storage_credentials_of_bucket" ON "storage_credentials"  ("workspace_id", "bucket") `,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."storage_credentials_of_bucket"`);
    await runner.query(`DROP TABLE "storage_credentials"`);
  }
}
