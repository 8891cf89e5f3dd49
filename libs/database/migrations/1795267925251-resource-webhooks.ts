import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ResourceWebhooks1795267925251 implements MigrationInterface {
  readonly name = 'ResourceWebhooks1795267925251';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "webhooks" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "event" text NOT NULL, "url" text NOT NULL, "secret" text NOT NULL, "former_secret" text, "former_secret_until" TIMESTAMP WITH TIME ZONE, "description" text NOT NULL DEFAULT '', "enabled" boolean NOT NULL DEFAULT true, "disabled_reason" text, "time_disabled" TIMESTAMP WITH TIME ZONE, "failing_since" TIMESTAMP WITH TIME ZONE, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_9e8795cfc899ab7bdaa831e8527" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_3ed8fd5f3708d4acac990ad236" ON "webhooks"  ("workspace_id") `);
    await runner.query(`ALTER TABLE "webhook_deliveries" ADD "attempts_before_replay" integer NOT NULL DEFAULT '0'`);
    await runner.query(`ALTER TABLE "webhook_attempts" ADD "webhook_id" uuid`);
    await runner.query(`ALTER TABLE "workspaces" ADD "former_signing_secret" text`);
    await runner.query(`ALTER TABLE "workspaces" ADD "former_signing_secret_until" TIMESTAMP WITH TIME ZONE`);
    await runner.query(
      `CREATE INDEX "IDX_0a75c79a0b8b7335753fd017de" ON "webhook_attempts"  ("webhook_id", "time_started") WHERE webhook_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_0a75c79a0b8b7335753fd017de"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "former_signing_secret_until"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "former_signing_secret"`);
    await runner.query(`ALTER TABLE "webhook_attempts" DROP COLUMN "webhook_id"`);
    await runner.query(`ALTER TABLE "webhook_deliveries" DROP COLUMN "attempts_before_replay"`);
    await runner.query(`DROP INDEX "public"."IDX_3ed8fd5f3708d4acac990ad236"`);
    await runner.query(`DROP TABLE "webhooks"`);
  }
}
