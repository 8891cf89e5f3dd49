import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FaceIndexes1795400600000 implements MigrationInterface {
  readonly name = 'FaceIndexes1795400600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "index_collections" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "name" text NOT NULL, "description" text NOT NULL DEFAULT '', "type" text NOT NULL DEFAULT 'face', "embedding_name" text, "embedding_digest" text, "dimensions" integer, "size" integer NOT NULL DEFAULT '0', "revision" bigint NOT NULL DEFAULT '0', "shrunk" bigint NOT NULL DEFAULT '0', "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "index_collections_pkey" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "index_collections_of_workspace" ON "index_collections" ("workspace_id", "name") WHERE time_deleted IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "index_collections_deleted" ON "index_collections" ("time_deleted") WHERE time_deleted IS NOT NULL`,
    );
    await runner.query(
      `CREATE TABLE "index_identities" ("index_id" text NOT NULL, "collection_id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "label" text NOT NULL DEFAULT '', "merged_into" text, "centroid" real array NOT NULL, "members" integer NOT NULL, "thumbnail" bytea, "thumbnail_width" integer, "thumbnail_height" integer, "revision" bigint NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_updated" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "index_identities_pkey" PRIMARY KEY ("index_id"))`,
    );
    // JPEGs do not get smaller, and neither do embeddings.
    await runner.query(`ALTER TABLE "index_identities" ALTER COLUMN "centroid" SET STORAGE EXTERNAL`);
    await runner.query(`ALTER TABLE "index_identities" ALTER COLUMN "thumbnail" SET STORAGE EXTERNAL`);
    await runner.query(
      `CREATE INDEX "index_identities_in_order" ON "index_identities" ("collection_id", "time_created", "index_id")`,
    );
    await runner.query(`CREATE INDEX "index_identities_changed" ON "index_identities" ("collection_id", "revision")`);
    await runner.query(
      `CREATE INDEX "index_identities_labelled" ON "index_identities" ("collection_id", "label") WHERE label <> ''`,
    );
    await runner.query(`CREATE INDEX "index_identities_of_workspace" ON "index_identities" ("workspace_id")`);
    await runner.query(
      `CREATE INDEX "index_identities_merged" ON "index_identities" ("merged_into") WHERE merged_into IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE "segments" ADD "index_id" text`);
    await runner.query(`CREATE INDEX "segments_of_index_id" ON "segments" ("index_id") WHERE index_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "segments_of_index_id"`);
    await runner.query(`ALTER TABLE "segments" DROP COLUMN "index_id"`);
    await runner.query(`DROP TABLE "index_identities"`);
    await runner.query(`DROP TABLE "index_collections"`);
  }
}
