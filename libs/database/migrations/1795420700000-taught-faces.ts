import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TaughtFaces1795420700000 implements MigrationInterface {
  readonly name = 'TaughtFaces1795420700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "segments" ADD "teaches" jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "segments" DROP COLUMN "teaches"`);
  }
}
