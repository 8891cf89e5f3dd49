import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only adds: an older build on the same database goes on, and sees an owner's key as the admin's that it was. */
export class Workspaces1795373718326 implements MigrationInterface {
  readonly name = 'Workspaces1795373718326';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "workspaces" ADD "storage_bytes" bigint`);
    await runner.query(`ALTER TABLE "workspaces" ADD "time_deleted" TIMESTAMP WITH TIME ZONE`);
    await runner.query(`ALTER TABLE "api_keys" ADD "is_owner" boolean NOT NULL DEFAULT false`);
    // The installation's first key.
    await runner.query(
      `UPDATE api_keys SET is_owner = true WHERE id = (
         SELECT id FROM api_keys WHERE role = 'admin' AND time_expires IS NULL ORDER BY time_created, id LIMIT 1)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "is_owner"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "time_deleted"`);
    await runner.query(`ALTER TABLE "workspaces" DROP COLUMN "storage_bytes"`);
  }
}
