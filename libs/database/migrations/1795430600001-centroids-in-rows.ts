import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Embeddings lie in the row, where a search that compares dozens of them reads each with one page. Rows there are stay as they are. */
export class CentroidsInRows1795430600001 implements MigrationInterface {
  name = 'CentroidsInRows1795430600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "index_identities" SET (toast_tuple_target = 4080)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "index_identities" RESET (toast_tuple_target)');
  }
}
