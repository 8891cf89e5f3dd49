import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['job_sources', 'chunks', 'chunk_analyses'];

export class RunningTries1795372870379 implements MigrationInterface {
  readonly name = 'RunningTries1795372870379';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`ALTER TABLE "${table}" ADD "running_until" TIMESTAMP WITH TIME ZONE`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE "${table}" DROP COLUMN "running_until"`);
  }
}
