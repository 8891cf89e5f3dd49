import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DoneRequests1795950300000 implements MigrationInterface {
  readonly name = 'DoneRequests1795950300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "idempotency_keys" ADD "headers" jsonb`);
    await runner.query(`ALTER TABLE "idempotency_keys" ADD "new_id" uuid`);
    await runner.query(`ALTER TABLE "idempotency_keys" ADD "time_done" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "time_done"`);
    await runner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "new_id"`);
    await runner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "headers"`);
  }
}
