import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isShared } from '../guarded-data-source.js';

/** Index for the other uses of a file that expires or is erased. */
export class MediaOfSources1795372641204 implements MigrationInterface {
  readonly name = 'MediaOfSources1795372641204';
  /** CONCURRENTLY, so that jobs go on meanwhile, is not for transactions. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An aborted attempt leaves an invalid index.
    await runner.query(`DROP INDEX IF EXISTS "IDX_6daf061587063c1c985caef141"`);
    const how = isShared(runner.connection) ? 'CONCURRENTLY' : '';
    await runner.query(
      `CREATE INDEX ${how} "IDX_6daf061587063c1c985caef141" ON "job_sources"  ("media_digest") WHERE media_digest IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_6daf061587063c1c985caef141"`);
  }
}
