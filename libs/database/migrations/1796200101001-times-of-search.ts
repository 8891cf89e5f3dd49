import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

const NAME = 'search_documents_by_duration';
/** The same as that of libs/search/postgres/beside.ts. */
const DURATION_CLASS = `width_bucket(time_end - time_start, '{8,64,512}'::double precision[])`;

/**
 * What is beside a moment is found between two bounds of an index: of documents of like duration, a start says how late the end
 * is at the most.
 */
export class TimesOfSearch1796200101001 implements MigrationInterface {
  readonly name = 'TimesOfSearch1796200101001';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await makeIndex(
      runner,
      NAME,
      `ON "search_documents" ("job_id", "source_index", (${DURATION_CLASS}), "time_start")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndex(runner, NAME);
  }
}
