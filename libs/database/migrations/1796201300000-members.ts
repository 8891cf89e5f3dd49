import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Members1796201300000 implements MigrationInterface {
  readonly name = 'Members1796201300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "members" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "issuer" text NOT NULL, "subject" text NOT NULL, "name" text NOT NULL, "email" text, "role" text NOT NULL, "source" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_last_seen" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "members_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "members_of_workspace" ON "members"  ("workspace_id", "time_created") `);
    await runner.query(`CREATE UNIQUE INDEX "members_of_person" ON "members"  ("issuer", "subject", "workspace_id") `);
    await runner.query(
      `CREATE TABLE "invitations" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "email" text NOT NULL, "role" text NOT NULL, "token_hash" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_expires" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "invitations_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "invitations_by_token" ON "invitations"  ("token_hash") `);
    await runner.query(`CREATE INDEX "invitations_of_workspace" ON "invitations"  ("workspace_id", "time_created") `);
    await runner.query(
      `CREATE TABLE "sessions" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "member_id" uuid NOT NULL, "token_hash" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_last_used" TIMESTAMP WITH TIME ZONE NOT NULL, "time_expires" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "sessions_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "sessions_by_token" ON "sessions"  ("token_hash") `);
    await runner.query(`CREATE INDEX "sessions_of_member" ON "sessions"  ("member_id") `);
    await runner.query(`CREATE INDEX "sessions_of_workspace" ON "sessions"  ("workspace_id", "time_created") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "sessions"`);
    await runner.query(`DROP TABLE "invitations"`);
    await runner.query(`DROP TABLE "members"`);
  }
}
