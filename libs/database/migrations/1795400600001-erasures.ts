import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Erasures1795400600001 implements MigrationInterface {
  readonly name = 'Erasures1795400600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "erasures" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "subject" jsonb NOT NULL, "phase" text NOT NULL DEFAULT 'traces', "counts" jsonb NOT NULL DEFAULT '{}', "removals" jsonb NOT NULL DEFAULT '[]', "actor_kind" text NOT NULL, "actor_id" text NOT NULL, "actor_name" text NOT NULL, "request_id" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_completed" TIMESTAMP WITH TIME ZONE, CONSTRAINT "erasures_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "erasures_of_workspace" ON "erasures" ("workspace_id", "time_created")`);
    await runner.query(`CREATE INDEX "erasures_to_do" ON "erasures" ("time_created") WHERE time_completed IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "erasures"`);
  }
}
