import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

const INDEXES = {
  search_feed_of_version: `"search_feed" ("version") WHERE state = 'done'`,
  search_feed_failed: `"search_feed" ("lease_until") WHERE state = 'failed'`,
  search_feed_languages: `"search_feed" ("workspace_id") WHERE languages <> '{}'`,
  search_documents_in_place: `"search_documents" ("workspace_id", "latitude") WHERE latitude IS NOT NULL`,
};

/** What is to be indexed again is found without a look at every job, and landmarks without one at every document. */
export class IndexesOfSearch1796107000001 implements MigrationInterface {
  readonly name = 'IndexesOfSearch1796107000001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) await makeIndex(runner, name, `ON ${definition}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await dropIndex(runner, name);
  }
}
