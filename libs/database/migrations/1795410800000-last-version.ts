import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LastVersion1795410800000 implements MigrationInterface {
  readonly name = 'LastVersion1795410800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "models" ADD "last_version" integer NOT NULL DEFAULT 0`);
    await runner.query(
      `UPDATE "models" m SET last_version =
         coalesce((SELECT max(v.version_number) FROM model_versions v WHERE v.model_id = m.id AND v.manifest IS NOT NULL), 0)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "models" DROP COLUMN "last_version"`);
  }
}
