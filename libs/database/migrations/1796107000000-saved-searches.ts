import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SavedSearches1796107000000 implements MigrationInterface {
  readonly name = 'SavedSearches1796107000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "saved_searches" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "name" text NOT NULL, "question" jsonb NOT NULL, "alert" boolean NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "saved_searches_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "saved_searches_of_workspace" ON "saved_searches"  ("workspace_id") `);
    await runner.query(`ALTER TABLE "search_feed" ADD "matched_seq" integer NOT NULL DEFAULT '0'`);
    // What was found before is nothing to be told of.
    await runner.query(`UPDATE "search_feed" SET "matched_seq" = greatest("next_seq", "segments")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "search_feed" DROP COLUMN "matched_seq"`);
    await runner.query(`DROP INDEX "public"."saved_searches_of_workspace"`);
    await runner.query(`DROP TABLE "saved_searches"`);
  }
}
