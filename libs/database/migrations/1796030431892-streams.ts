import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Streams1796030431892 implements MigrationInterface {
  readonly name = 'Streams1796030431892';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "streams" ("id" uuid NOT NULL, "job_id" uuid NOT NULL, "source_index" integer NOT NULL, "workspace_id" uuid NOT NULL, "state" text NOT NULL DEFAULT 'waiting', "address" text, "attempts" integer NOT NULL DEFAULT '0', "fencing_token" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "zero_at" TIMESTAMP WITH TIME ZONE, "frames" bigint NOT NULL DEFAULT '0', "last_us" bigint NOT NULL DEFAULT '0', "next_position" integer NOT NULL DEFAULT '0', "counted_from_us" bigint NOT NULL DEFAULT '0', CONSTRAINT "PK_40440b6f569ebc02bc71c25c499" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_4042600979713c68d7da9b3206" ON "streams"  ("workspace_id", "time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`CREATE INDEX "IDX_39e86f4a1ee791dae29b52dfb4" ON "streams"  ("workspace_id") `);
    await runner.query(`CREATE INDEX "IDX_92f6f360be2c6dd551da8f5056" ON "streams"  ("job_id") `);
    await runner.query(
      `CREATE TABLE "stream_gaps" ("stream_id" uuid NOT NULL, "seq" integer NOT NULL, "job_id" uuid NOT NULL, "from_us" bigint NOT NULL, "to_us" bigint NOT NULL, "time_from" TIMESTAMP WITH TIME ZONE, "time_to" TIMESTAMP WITH TIME ZONE, "reason" text NOT NULL, CONSTRAINT "PK_69d8103f0fe890aa4a8c341c58d" PRIMARY KEY ("stream_id", "seq"))`,
    );
    await runner.query(`CREATE INDEX "IDX_6dcf2ca385f328a747bdfa31a2" ON "stream_gaps"  ("job_id", "seq") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_6dcf2ca385f328a747bdfa31a2"`);
    await runner.query(`DROP TABLE "stream_gaps"`);
    await runner.query(`DROP INDEX "public"."IDX_92f6f360be2c6dd551da8f5056"`);
    await runner.query(`DROP INDEX "public"."IDX_39e86f4a1ee791dae29b52dfb4"`);
    await runner.query(`DROP INDEX "public"."IDX_4042600979713c68d7da9b3206"`);
    await runner.query(`DROP TABLE "streams"`);
  }
}
