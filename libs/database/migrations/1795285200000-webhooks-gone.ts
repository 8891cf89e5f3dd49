import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WebhooksGone1795285200000 implements MigrationInterface {
  readonly name = 'WebhooksGone1795285200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "IDX_7ff984e1d1751a898aeb5659f0" ON "webhook_deliveries"  ("subscription") WHERE state = 'gone'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_7ff984e1d1751a898aeb5659f0"`);
  }
}
