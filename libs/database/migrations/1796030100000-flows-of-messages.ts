import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What relays serve in turn. */
export class FlowsOfMessages1796030100000 implements MigrationInterface {
  readonly name = 'FlowsOfMessages1796030100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "outbox" ADD "flow" text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "outbox" DROP COLUMN "flow"`);
  }
}
