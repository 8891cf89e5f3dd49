import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Usage1796200100000 implements MigrationInterface {
  readonly name = 'Usage1796200100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "jobs" ADD "key_id" text`);
    await runner.query(
      `CREATE TABLE "usage_days" ("workspace_id" uuid NOT NULL, "day" date NOT NULL, "module_id" text NOT NULL, "key_id" text NOT NULL, "media_seconds" double precision NOT NULL, "chunk_seconds" double precision NOT NULL, "cpu_seconds" double precision NOT NULL, "gpu_seconds" double precision NOT NULL, CONSTRAINT "usage_days_pkey" PRIMARY KEY ("workspace_id", "day", "module_id", "key_id"))`,
    );
    await runner.query(`CREATE INDEX "usage_days_by_day" ON "usage_days"  ("day") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."usage_days_by_day"`);
    await runner.query(`DROP TABLE "usage_days"`);
    await runner.query(`ALTER TABLE "jobs" DROP COLUMN "key_id"`);
  }
}
