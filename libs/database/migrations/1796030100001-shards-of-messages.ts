import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** Relays find the next messages of a shard, however many wait. */
export class ShardsOfMessages1796030100001 implements MigrationInterface {
  readonly name = 'ShardsOfMessages1796030100001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(runner, 'outbox_shard', `ON "outbox" ((hashtext(key) & 31), "flow", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'outbox_shard');
  }
}
