import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Storage1795268034111 implements MigrationInterface {
  readonly name = 'Storage1795268034111';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "storage_parts" ("entry_id" integer NOT NULL, "start" bigint NOT NULL, "size" bigint NOT NULL, "name" text NOT NULL, CONSTRAINT "PK_94761012c3081a28223da6c67c9" PRIMARY KEY ("entry_id", "start"))`,
    );
    await runner.query(
      `CREATE TABLE "storage_removals" ("object_key" text NOT NULL, CONSTRAINT "PK_b1077b6009b6073134fe18274d4" PRIMARY KEY ("object_key"))`,
    );
    await runner.query(`ALTER TABLE "storage_entries" ADD "upload_length" bigint`);
    await runner.query(`ALTER TABLE "storage_entries" ADD "replaces" boolean NOT NULL DEFAULT false`);
    await runner.query(
      `ALTER TABLE "storage_entries" ADD "time_touched" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now()`,
    );
    await runner.query(`ALTER TABLE "storage_entries" ADD "time_uploaded" TIMESTAMP WITH TIME ZONE`);
    await runner.query(`UPDATE "storage_entries" SET "time_uploaded" = "time_created" WHERE "uploaded"`);
    await runner.query(`ALTER TABLE "storage_entries" ADD "thumbnail" text`);
    await runner.query(`ALTER TABLE "storage_entries" ADD "thumbnail_error" text`);
    await runner.query(`ALTER TABLE "storage_entries" ADD "thumbnail_attempts" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "storage_entries" ADD "thumbnail_lease_until" TIMESTAMP WITH TIME ZONE`);
    await runner.query(
      `CREATE INDEX "IDX_4c381c936e5e485dd401a1b5b5" ON "storage_entries"  ("time_touched") WHERE NOT uploaded AND NOT upload_failed`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_4c381c936e5e485dd401a1b5b5"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "thumbnail_lease_until"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "thumbnail_attempts"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "thumbnail_error"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "thumbnail"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "time_uploaded"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "time_touched"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "replaces"`);
    await runner.query(`ALTER TABLE "storage_entries" DROP COLUMN "upload_length"`);
    await runner.query(`DROP TABLE "storage_removals"`);
    await runner.query(`DROP TABLE "storage_parts"`);
  }
}
