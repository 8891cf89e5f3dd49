import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FollowedModels1795800000000 implements MigrationInterface {
  readonly name = 'FollowedModels1795800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "followed_models" ("name" text NOT NULL, "version" integer NOT NULL, "state" text NOT NULL, "fingerprint" text NOT NULL, "digest" text, "problem" text, "attempts" integer NOT NULL DEFAULT '0', "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_f6b89f50e0748266e98404b2b6c" PRIMARY KEY ("name", "version"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "followed_models"`);
  }
}
