import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NotesOfExports1796201200002 implements MigrationInterface {
  readonly name = 'NotesOfExports1796201200002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" ADD "notes" jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "notes"`);
  }
}
