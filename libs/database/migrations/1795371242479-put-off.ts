import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PutOff1795371242479 implements MigrationInterface {
  readonly name = 'PutOff1795371242479';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunk_analyses" ADD "put_off_since" TIMESTAMP WITH TIME ZONE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "chunk_analyses" DROP COLUMN "put_off_since"`);
  }
}
