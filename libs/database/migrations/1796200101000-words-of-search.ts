import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The words that documents of the search are made of: misspelt ones are looked for among these, not among texts. */
export class WordsOfSearch1796200101000 implements MigrationInterface {
  readonly name = 'WordsOfSearch1796200101000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "search_words" ("workspace_id" uuid NOT NULL, "field" text NOT NULL, "word" text NOT NULL, "seen" date NOT NULL, CONSTRAINT "search_words_pkey" PRIMARY KEY ("workspace_id", "field", "word"))`,
    );
    await runner.query(`CREATE INDEX "search_words_seen" ON "search_words"  ("seen") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."search_words_seen"`);
    await runner.query(`DROP TABLE "search_words"`);
  }
}
