import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Dictionaries1795255664719 implements MigrationInterface {
  readonly name = 'Dictionaries1795255664719';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "dictionaries" ("id" uuid NOT NULL, "workspace_id" uuid, "name" text NOT NULL, "type" text NOT NULL, "language" text NOT NULL, "detecting" boolean NOT NULL DEFAULT false, "version" integer NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_b864abffe7546b378d6ce4ba7c6" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_c0b656bbdc02db02db480f9344" ON "dictionaries"  ("workspace_id") `);
    await runner.query(
      `CREATE INDEX "IDX_34b3935ffd707f0ecff6abe874" ON "dictionaries"  ("detecting") WHERE detecting`,
    );
    await runner.query(
      `CREATE TABLE "dictionary_versions" ("dictionary_id" uuid NOT NULL, "version" integer NOT NULL, "digest" text NOT NULL, "size" integer NOT NULL, "object_key" text NOT NULL, "time_retired" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_89a718f39f88fc2062b30c26236" PRIMARY KEY ("dictionary_id", "version"))`,
    );
    await runner.query(`CREATE INDEX "IDX_ec176767d1201e3805f8bd8d9b" ON "dictionary_versions"  ("time_retired") `);
    await runner.query(`ALTER TABLE "job_modules" ADD "dictionaries" jsonb`);
    await runner.query(
      `CREATE INDEX "IDX_74698b3513ff29c98160c174b1" ON "job_modules"  ("job_id") WHERE dictionaries IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_74698b3513ff29c98160c174b1"`);
    await runner.query(`ALTER TABLE "job_modules" DROP COLUMN "dictionaries"`);
    await runner.query(`DROP INDEX "public"."IDX_ec176767d1201e3805f8bd8d9b"`);
    await runner.query(`DROP TABLE "dictionary_versions"`);
    await runner.query(`DROP INDEX "public"."IDX_34b3935ffd707f0ecff6abe874"`);
    await runner.query(`DROP INDEX "public"."IDX_c0b656bbdc02db02db480f9344"`);
    await runner.query(`DROP TABLE "dictionaries"`);
  }
}
