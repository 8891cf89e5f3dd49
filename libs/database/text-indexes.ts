import { createLogger } from '@adit/runtime';
import type { EntityManager, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from './concurrent-index.js';

const log = createLogger('database');
const INDEX = 'search_words_trigrams';
/** Index over the texts themselves, which earlier builds made and searched. */
const FORMER = 'search_documents_trigrams';
const WITHOUT =
  'pg_trgm cannot be set up: searches find whole words only. Have an administrator install it and run CREATE EXTENSION pg_trgm, then run "adit migrate"';

/**
 * Makes what parts of words and misspelt words are found by, where the server has pg_trgm: the extension and an index.
 * It is no migration: a server may get the extension later, and the search finds whole words without it. Throws nothing.
 */
export async function prepareTextIndexes(runner: QueryRunner): Promise<void> {
  try {
    const available: unknown[] = await runner.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'`);
    if (available.length === 0) return log.warn(WITHOUT);
    const installed: unknown[] = await runner.query(`SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'`);
    if (installed.length === 0) await runner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await makeIndex(runner, INDEX, 'ON search_words USING gin (word gin_trgm_ops)');
    await dropIndex(runner, FORMER);
  } catch (error) {
    log.warn({ err: error }, WITHOUT);
  }
}

/** True when parts of words and misspelt words can be searched: pg_trgm is there, and its index is complete. */
export async function hasTrigrams(by: Pick<EntityManager, 'query'>): Promise<boolean> {
  const rows: unknown[] = await by.query(
    `SELECT 1 FROM pg_index i JOIN pg_extension e ON e.extname = 'pg_trgm'
      WHERE i.indexrelid = to_regclass('${INDEX}') AND i.indisvalid`,
  );
  return rows.length > 0;
}
