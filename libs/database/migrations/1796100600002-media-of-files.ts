import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

/** Erasures of a stored file find the programmes of it that are known. */
export class MediaOfFiles1796100600002 implements MigrationInterface {
  readonly name = 'MediaOfFiles1796100600002';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(runner, 'media_of_file', `ON "media" ("workspace_id", "part_of") WHERE part_of IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, 'media_of_file');
  }
}
