import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DiskUses1795980000000 implements MigrationInterface {
  readonly name = 'DiskUses1795980000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "disk_uses" ("kind" text NOT NULL, "bytes" bigint NOT NULL, "objects" bigint, "time_measured" TIMESTAMP WITH TIME ZONE NOT NULL, "time_due" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_576d8f3fb85416e5dc11d12605b" PRIMARY KEY ("kind"))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "disk_uses"`);
  }
}
