import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recordings1796100100000 implements MigrationInterface {
  readonly name = 'Recordings1796100100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "recording_segments" ("job_id" uuid NOT NULL, "seq" integer NOT NULL, "workspace_id" uuid NOT NULL, "from_us" bigint NOT NULL, "duration_us" integer NOT NULL, "time_start" TIMESTAMP WITH TIME ZONE NOT NULL, "bytes" integer NOT NULL, "discontinuity" boolean NOT NULL, "breaks" integer NOT NULL, "header" text NOT NULL, "object_key" text NOT NULL, CONSTRAINT "PK_91d1e61b38ca4f796b8f6b019e5" PRIMARY KEY ("job_id", "seq"))`,
    );
    await runner.query(`CREATE INDEX "IDX_7339884581b1d0ef69d0860618" ON "recording_segments"  ("workspace_id") `);
    await runner.query(
      `CREATE TABLE "recording_headers" ("job_id" uuid NOT NULL, "digest" text NOT NULL, "bytes" bytea NOT NULL, CONSTRAINT "PK_1b2d428ed821d107bce113f365c" PRIMARY KEY ("job_id", "digest"))`,
    );
    await runner.query(`ALTER TABLE "jobs" ADD "recorded" boolean NOT NULL DEFAULT false`);
    await runner.query(`ALTER TABLE "streams" ADD "record_seconds" integer`);
    await runner.query(`ALTER TABLE "streams" ADD "record_secret" text`);
    await runner.query(`ALTER TABLE "streams" ADD "record_next" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "streams" ADD "record_breaks" integer NOT NULL DEFAULT '0'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "record_breaks"`);
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "record_next"`);
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "record_secret"`);
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "record_seconds"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "recorded"`);
    await runner.query(`DROP TABLE "recording_headers"`);
    await runner.query(`DROP INDEX "public"."IDX_7339884581b1d0ef69d0860618"`);
    await runner.query(`DROP TABLE "recording_segments"`);
  }
}
