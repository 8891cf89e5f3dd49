import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** A deletion finds the exports of searches that hold something of it. */
export class ExportsByWhatTheyHold1796201400001 implements MigrationInterface {
  readonly name = 'ExportsByWhatTheyHold1796201400001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(runner, 'exports_found_in', `ON "exports" USING gin ("found_in") WHERE found_in IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'exports_found_in');
  }
}
