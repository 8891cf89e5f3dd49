import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Transcripts1795400200000 implements MigrationInterface {
  readonly name = 'Transcripts1795400200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "transcripts" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "job_id" uuid NOT NULL, "tag" text NOT NULL, "source" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_40c75f89c1fc953cd33e702247d" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_04da953fd32550e5cfe446622f" ON "transcripts"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_67b4c26730f6b5b8387629d5dc" ON "transcripts"  ("time_deleted") WHERE time_deleted IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_04f2910c77b13d5eb908175e24" ON "transcripts"  ("workspace_id", "time_created") `,
    );
    await runner.query(
      `CREATE TABLE "transcript_variants" ("id" uuid NOT NULL, "transcript_id" uuid NOT NULL, "job_id" uuid NOT NULL, "name" text NOT NULL, "language" text, "latest_version" integer NOT NULL, "last_number" integer NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_c84173e7dc9f12e7d288c1a8f7e" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_58a351bf55d503549d74413144" ON "transcript_variants"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_12a67d02bcdfaea7479409c0ae" ON "transcript_variants"  ("transcript_id", "time_created") `,
    );
    await runner.query(
      `CREATE TABLE "transcript_versions" ("variant_id" uuid NOT NULL, "version" integer NOT NULL, "id" uuid NOT NULL, "job_id" uuid NOT NULL, "paragraphs" integer NOT NULL, "restored" integer, "author" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_06afe93e29c6d9158546126a9db" PRIMARY KEY ("variant_id", "version"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_b5c4df885f3b7ef4ffebcd46fc" ON "transcript_versions"  ("id") `);
    await runner.query(`CREATE INDEX "IDX_00e96f0be743b78afe2cc9ca0d" ON "transcript_versions"  ("job_id") `);
    await runner.query(
      `CREATE TABLE "transcript_paragraphs" ("variant_id" uuid NOT NULL, "id" uuid NOT NULL, "from_version" integer NOT NULL, "to_version" integer, "job_id" uuid NOT NULL, "position" numeric NOT NULL, "text" text NOT NULL, "speaker" text, "time_start" double precision NOT NULL, "time_end" double precision NOT NULL, "words" jsonb NOT NULL, CONSTRAINT "PK_076fa345906a6868a368c0262e4" PRIMARY KEY ("variant_id", "id", "from_version"))`,
    );
    await runner.query(`CREATE INDEX "IDX_547e7d0e35a52024e5fffc22b1" ON "transcript_paragraphs"  ("job_id") `);
    await runner.query(
      `CREATE INDEX "IDX_ca8fc9f950f8849d122ae94639" ON "transcript_paragraphs"  ("variant_id", "to_version") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_47b0f262c516cc8b935e273acc" ON "transcript_paragraphs"  ("variant_id", "position") `,
    );
    await runner.query(`ALTER TABLE "exports" ADD "transcript_id" uuid`);
    await runner.query(`CREATE INDEX "IDX_733effcd7943bad7c38e60d862" ON "exports"  ("transcript_id") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_733effcd7943bad7c38e60d862"`);
    await runner.query(`ALTER TABLE "exports" DROP COLUMN "transcript_id"`);
    await runner.query(`DROP INDEX "public"."IDX_47b0f262c516cc8b935e273acc"`);
    await runner.query(`DROP INDEX "public"."IDX_ca8fc9f950f8849d122ae94639"`);
    await runner.query(`DROP INDEX "public"."IDX_547e7d0e35a52024e5fffc22b1"`);
    await runner.query(`DROP TABLE "transcript_paragraphs"`);
    await runner.query(`DROP INDEX "public"."IDX_00e96f0be743b78afe2cc9ca0d"`);
    await runner.query(`DROP INDEX "public"."IDX_b5c4df885f3b7ef4ffebcd46fc"`);
    await runner.query(`DROP TABLE "transcript_versions"`);
    await runner.query(`DROP INDEX "public"."IDX_12a67d02bcdfaea7479409c0ae"`);
    await runner.query(`DROP INDEX "public"."IDX_58a351bf55d503549d74413144"`);
    await runner.query(`DROP TABLE "transcript_variants"`);
    await runner.query(`DROP INDEX "public"."IDX_04f2910c77b13d5eb908175e24"`);
    await runner.query(`DROP INDEX "public"."IDX_67b4c26730f6b5b8387629d5dc"`);
    await runner.query(`DROP INDEX "public"."IDX_04da953fd32550e5cfe446622f"`);
    await runner.query(`DROP TABLE "transcripts"`);
  }
}
