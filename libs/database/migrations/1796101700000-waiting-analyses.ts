import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** Processes of inference find what waits behind others, however much is in work. */
export class WaitingAnalyses1796101700000 implements MigrationInterface {
  readonly name = 'WaitingAnalyses1796101700000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(
      runner,
      'waiting_analyses',
      `ON "chunk_analyses" ("lease_until") WHERE state = 'requested' AND attempts = 0 AND running_until IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'waiting_analyses');
  }
}
