import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BytesOfTranscripts1795950700001 implements MigrationInterface {
  readonly name = 'BytesOfTranscripts1795950700001';

  /** Existing rows are summed up from their variants until they are written next. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "transcripts" ADD "bytes" bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "transcripts" DROP COLUMN "bytes"`);
  }
}
