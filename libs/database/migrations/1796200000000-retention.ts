import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Retention1796200000000 implements MigrationInterface {
  readonly name = 'Retention1796200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "workspaces" ADD "retention" jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE "workspaces" ADD "held_tags" text array NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE "observations" ADD "lifetime" bigint`);
    await runner.query(`ALTER TABLE "media" ADD "lifetime" bigint`);
    await runner.query(
      `CREATE TABLE "retention_defaults" ("kind" text NOT NULL, "seconds" bigint, CONSTRAINT "retention_defaults_pkey" PRIMARY KEY ("kind"))`,
    );
    await runner.query(
      `CREATE TABLE "retention_changes" ("workspace_id" uuid NOT NULL, "kind" text NOT NULL, "revision" integer NOT NULL DEFAULT '1', "position" jsonb, "time_changed" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "retention_changes_pkey" PRIMARY KEY ("workspace_id", "kind"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "retention_changes"`);
    await runner.query(`DROP TABLE "retention_defaults"`);
    await runner.query(`ALTER TABLE "media" DROP COLUMN "lifetime"`);
    await runner.query(`ALTER TABLE "observations" DROP COLUMN "lifetime"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "held_tags"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "retention"`);
  }
}
