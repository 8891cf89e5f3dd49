import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BytesOfVariants1795846300000 implements MigrationInterface {
  readonly name = 'BytesOfVariants1795846300000';

  /**
   * Existing rows are counted when they are written next: all at once would take minutes in which nobody can read
   * them.
   */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "transcript_variants" ADD "bytes" bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "transcript_variants" DROP COLUMN "bytes"`);
  }
}
