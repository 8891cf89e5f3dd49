import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

const NAME = 'search_documents_in_order';

/** Pages of words that are in many documents are read in their order, without sorting all of these. */
export class OrderOfSearch1796107000002 implements MigrationInterface {
  readonly name = 'OrderOfSearch1796107000002';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(runner, NAME, 'ON "search_documents" ("workspace_id", "length", "moment" DESC, "id" DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, NAME);
  }
}
