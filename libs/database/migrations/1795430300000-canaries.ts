import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Canaries1795430300000 implements MigrationInterface {
  readonly name = 'Canaries1795430300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "model_canaries" ("model_id" uuid NOT NULL, "id" uuid NOT NULL, "state" text NOT NULL, "reason" text, "stable_version" integer NOT NULL, "stable_digest" text NOT NULL, "version" integer NOT NULL, "digest" text NOT NULL, "share" double precision NOT NULL, "counts" jsonb NOT NULL, "last_error" text, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_ended" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_7d63a575ef193d44c04bbbf581d" PRIMARY KEY ("model_id"))`,
    );
    await runner.query(
      `CREATE TABLE "canary_runs" ("id" uuid NOT NULL, "canary_id" uuid NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_28c355e3dac5b38528e93bb5efe" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_89501d54e3402f1b402c2745ae" ON "canary_runs"  ("canary_id") `);
    await runner.query(
      `CREATE TABLE "canary_pictures" ("id" uuid NOT NULL, "canary_id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "job_id" uuid NOT NULL, "object_key" text NOT NULL, "frame" integer NOT NULL, "time" double precision NOT NULL, "difference" double precision NOT NULL, "stable" jsonb NOT NULL, "candidate" jsonb NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_207575bb0e220f47cee0cdfe21c" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_fdaba8a1687f2dda2ab536aa87" ON "canary_pictures"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_90c6940cb8928e636f056d61a1" ON "canary_pictures"  ("canary_id", "workspace_id") `,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_90c6940cb8928e636f056d61a1"`);
    await runner.query(`DROP INDEX "public"."IDX_fdaba8a1687f2dda2ab536aa87"`);
    await runner.query(`DROP TABLE "canary_pictures"`);
    await runner.query(`DROP INDEX "public"."IDX_89501d54e3402f1b402c2745ae"`);
    await runner.query(`DROP TABLE "canary_runs"`);
    await runner.query(`DROP TABLE "model_canaries"`);
  }
}
