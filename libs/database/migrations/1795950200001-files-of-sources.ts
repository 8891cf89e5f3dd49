import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isShared } from '../guarded-data-source.js';

/** Erasures of a stored file begin with the sources that name it. */
export class FilesOfSources1795950200001 implements MigrationInterface {
  readonly name = 'FilesOfSources1795950200001';
  /** CONCURRENTLY, so that jobs go on meanwhile, is not for transactions. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An aborted attempt leaves an invalid index.
    await runner.query(`DROP INDEX IF EXISTS "job_sources_of_file"`);
    const how = isShared(runner.connection) ? 'CONCURRENTLY' : '';
    // Keys of files are short; other addresses may be longer than an index takes.
    await runner.query(
      `CREATE INDEX ${how} "job_sources_of_file" ON "job_sources" ((substr(uri, 11))) WHERE uri ILIKE 'storage://%'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."job_sources_of_file"`);
  }
}
