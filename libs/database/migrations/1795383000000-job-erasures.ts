import type { MigrationInterface, QueryRunner } from 'typeorm';

export class JobErasures1795383000000 implements MigrationInterface {
  readonly name = 'JobErasures1795383000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "job_erasures" ("job_id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_2985f756283644c8e72263c78d1" PRIMARY KEY ("job_id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_2fba4f8d7870b3a5cbff4f86f4" ON "job_erasures"  ("workspace_id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_2fba4f8d7870b3a5cbff4f86f4"`);
    await runner.query(`DROP TABLE "job_erasures"`);
  }
}
