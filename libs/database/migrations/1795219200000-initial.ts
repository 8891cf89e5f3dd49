import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Initial1795219200000 implements MigrationInterface {
  readonly name = 'Initial1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "media" ("workspace_id" uuid NOT NULL, "digest" text NOT NULL, "facts" jsonb NOT NULL, "grid" jsonb, "index_key" text, "time_expires" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_2cbc0cafef0d5357016ed645cbd" PRIMARY KEY ("workspace_id", "digest"))`,
    );
    await runner.query(`CREATE INDEX "IDX_9fe8587f78b8f8593a89f6327e" ON "media"  ("time_expires") `);
    await runner.query(
      `CREATE TABLE "observations" ("workspace_id" uuid NOT NULL, "media_digest" text NOT NULL, "interval" text NOT NULL, "analysis_digest" text NOT NULL, "object_key" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_expires" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_701ccb0de18aec3e8d58edf5593" PRIMARY KEY ("workspace_id", "media_digest", "interval", "analysis_digest"))`,
    );
    await runner.query(`CREATE INDEX "IDX_382e9e97cdfa49d4173c5bf8db" ON "observations"  ("time_expires") `);
    await runner.query(
      `CREATE TABLE "jobs" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "tag" text NOT NULL, "state" text NOT NULL, "errors" jsonb NOT NULL DEFAULT '[]', "priority" integer NOT NULL, "rank" integer NOT NULL, "media_type" text NOT NULL, "sources" jsonb NOT NULL, "webhook" jsonb, "ttl" integer, "time_expires" TIMESTAMP WITH TIME ZONE, "admitted" boolean NOT NULL DEFAULT false, "progress" double precision NOT NULL DEFAULT '0', "segment_count" integer NOT NULL DEFAULT '0', "summary" jsonb NOT NULL DEFAULT '[]', "traceparent" text, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_started" TIMESTAMP WITH TIME ZONE, "time_completed" TIMESTAMP WITH TIME ZONE, "time_deleted" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_cf0a6c42b72fcc7f7c237def345" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_1fb3b6863a40c681ed68599838" ON "jobs"  ("time_expires") `);
    await runner.query(`CREATE INDEX "IDX_19b70bd1421a651c53940646c6" ON "jobs"  ("time_deleted") `);
    await runner.query(
      `CREATE INDEX "IDX_c6c2b01c4bcc0b2d8da8373754" ON "jobs"  ("state") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE INDEX "IDX_0947f1e0f51ab08d43bc2455f5" ON "jobs"  ("workspace_id", "rank", "time_created") WHERE state = 'waiting' AND NOT admitted AND time_deleted IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_f26628cabe1d5c492528d62486" ON "jobs"  ("workspace_id", "tag") `);
    await runner.query(`CREATE INDEX "IDX_81243521ac8372638ec02aa8a9" ON "jobs"  ("workspace_id", "time_created") `);
    await runner.query(
      `CREATE TABLE "job_modules" ("job_id" uuid NOT NULL, "module_id" text NOT NULL, "position" integer NOT NULL, "posted_as" text NOT NULL, "args" jsonb NOT NULL, "range" jsonb, "models" jsonb NOT NULL, "analyses" jsonb NOT NULL, "state" text NOT NULL, "error" text, "progress" double precision NOT NULL DEFAULT '0', "segment_count" integer NOT NULL DEFAULT '0', CONSTRAINT "PK_9c0f0b8ffa2b6f17a4bb4557b78" PRIMARY KEY ("job_id", "module_id"))`,
    );
    await runner.query(
      `CREATE TABLE "job_analyses" ("job_id" uuid NOT NULL, "digest" text NOT NULL, "analysis" text NOT NULL, "family" text NOT NULL, "args" jsonb NOT NULL, "frames" jsonb NOT NULL, "models" jsonb NOT NULL, CONSTRAINT "PK_3a0332a87867fb9d9b65ffe072c" PRIMARY KEY ("job_id", "digest"))`,
    );
    await runner.query(
      `CREATE TABLE "job_sources" ("job_id" uuid NOT NULL, "index" integer NOT NULL, "uri" text NOT NULL, "state" text NOT NULL, "error" text, "media_digest" text, "facts" jsonb, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_a8563e1871f902e74579f707ede" PRIMARY KEY ("job_id", "index"))`,
    );
    await runner.query(
      `CREATE TABLE "chunks" ("id" uuid NOT NULL, "job_id" uuid NOT NULL, "position" integer NOT NULL, "source_start" integer NOT NULL, "source_end" integer NOT NULL, "interval" jsonb, "state" text NOT NULL, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "packs" jsonb, CONSTRAINT "PK_a306e60b8fdf6e7de1be4be1e6a" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_4d477a46b59468a7363e949778" ON "chunks"  ("state", "lease_until") `);
    await runner.query(
      `CREATE UNIQUE INDEX "IDX_b9d42295445c1c52682d2ec154" ON "chunks"  ("job_id", "source_start", "position") `,
    );
    await runner.query(
      `CREATE TABLE "chunk_analyses" ("chunk_id" uuid NOT NULL, "digest" text NOT NULL, "job_id" uuid NOT NULL, "state" text NOT NULL, "attempts" integer NOT NULL DEFAULT '0', "lease_until" TIMESTAMP WITH TIME ZONE, "units" jsonb, "error" text, CONSTRAINT "PK_be90441badc3206531e8eb528a9" PRIMARY KEY ("chunk_id", "digest"))`,
    );
    await runner.query(`CREATE INDEX "IDX_744f065f4995de21301abd5c41" ON "chunk_analyses"  ("job_id") `);
    await runner.query(`CREATE INDEX "IDX_d63f8127204d3689a55bcf1983" ON "chunk_analyses"  ("lease_until") `);
    await runner.query(
      `CREATE TABLE "folds" ("job_id" uuid NOT NULL, "module_id" text NOT NULL, "source_index" integer NOT NULL, "chunk_ids" jsonb NOT NULL, "next_chunk" integer NOT NULL DEFAULT '0', "state" text, "closed" boolean NOT NULL DEFAULT false, CONSTRAINT "PK_5696dabba2f3e2355555983f0e6" PRIMARY KEY ("job_id", "module_id", "source_index"))`,
    );
    await runner.query(
      `CREATE TABLE "outbox" ("id" bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL, "topic" text NOT NULL, "key" text NOT NULL, "envelope" jsonb NOT NULL, CONSTRAINT "PK_340ab539f309f03bdaa14aa7649" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "segments" ("job_id" uuid NOT NULL, "seq" integer NOT NULL, "module_id" text NOT NULL, "module_seq" integer NOT NULL, "source_index" integer NOT NULL, "frame_start" integer, "frame_end" integer, "time_start" double precision NOT NULL, "time_end" double precision NOT NULL, "type" text NOT NULL, "label" text NOT NULL, "confidence" double precision NOT NULL, "meta" jsonb NOT NULL, "detections" jsonb NOT NULL, "thumbnail" jsonb, "key_frame" jsonb, "identity_collection" text, "identity_number" integer, CONSTRAINT "PK_eb062ec25502604f631d6b726f9" PRIMARY KEY ("job_id", "seq"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "IDX_dccea64f2c2d909964746ec15f" ON "segments"  ("job_id", "module_id", "module_seq") `,
    );
    await runner.query(
      `CREATE TABLE "identities" ("job_id" uuid NOT NULL, "collection" text NOT NULL, "number" integer NOT NULL, "centroid" bytea NOT NULL, "members" integer NOT NULL, CONSTRAINT "PK_46f80a5f5bcafc0d702498df2a8" PRIMARY KEY ("job_id", "collection", "number"))`,
    );
    await runner.query(
      `CREATE TABLE "summaries" ("job_id" uuid NOT NULL, "seq" integer NOT NULL, "id" uuid NOT NULL, "module_id" text NOT NULL, "source_index" integer NOT NULL, "type" text NOT NULL, "meta" jsonb NOT NULL, CONSTRAINT "PK_7bdbc98d1af998de7a1a7823ec3" PRIMARY KEY ("job_id", "seq"))`,
    );
    await runner.query(
      `CREATE TABLE "artifacts" ("id" uuid NOT NULL, "job_id" uuid, "filename" text NOT NULL, "mime_type" text, "object_key" text NOT NULL, "size" bigint NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_expiration" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_6516bbed3c129918e05c5012edb" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_145c6edf912d244ec998d3ddc0" ON "artifacts"  ("job_id") `);
    await runner.query(`CREATE INDEX "IDX_72846fc2c83cc4331124e80aea" ON "artifacts"  ("time_expiration") `);
    await runner.query(
      `CREATE TABLE "job_events" ("id" bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL, "job_id" uuid NOT NULL, "event" text NOT NULL, "data" jsonb NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_77f0d06e95eed355f7a38f6093b" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_a185b974ee4ee57d4ef5146fa4" ON "job_events"  ("job_id", "id") `);
    await runner.query(
      `CREATE TABLE "storage_entries" ("id" integer GENERATED BY DEFAULT AS IDENTITY NOT NULL, "workspace_id" uuid NOT NULL, "folder" text NOT NULL, "name" text NOT NULL, "is_folder" boolean NOT NULL, "key" text, "size" bigint, "content_type" text, "digest" text, "uploaded" boolean NOT NULL DEFAULT false, "upload_failed" boolean NOT NULL DEFAULT false, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_fc0c75929b9b17f3118ff81e5ee" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_902019d0807e0423933126e7cf" ON "storage_entries"  ("key") `);
    await runner.query(
      `CREATE INDEX "IDX_92d3e0c16cd49f4913ef09e961" ON "storage_entries"  ("workspace_id", "folder", "name") `,
    );
    await runner.query(
      `CREATE TABLE "workspaces" ("id" uuid NOT NULL, "name" text NOT NULL, "observation_cache" boolean NOT NULL DEFAULT true, "weight" integer NOT NULL DEFAULT '1', "signing_secret" text NOT NULL, "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), CONSTRAINT "PK_098656ae401f3e1a4586f47fd8e" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "api_keys" ("id" uuid NOT NULL, "workspace_id" uuid NOT NULL, "name" text NOT NULL, "prefix" text NOT NULL, "hash" text NOT NULL, "role" text NOT NULL DEFAULT 'member', "time_created" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(), "time_last_used" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_5c8a79801b44bd27b79228e1dad" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_deb68fe8625b21785d1c48283e" ON "api_keys"  ("workspace_id") `);
    await runner.query(`CREATE UNIQUE INDEX "IDX_598a14447f592c12d1fe22ba91" ON "api_keys"  ("hash") `);
    await runner.query(
      `CREATE TABLE "idempotency_keys" ("workspace_id" uuid NOT NULL, "key" text NOT NULL, "request_digest" text NOT NULL, "status" integer, "body" jsonb, "time_expires" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_d66f5bd69869bc039c871fe7d17" PRIMARY KEY ("workspace_id", "key"))`,
    );
    await runner.query(`CREATE INDEX "IDX_716f00857156e4513805b2192e" ON "idempotency_keys"  ("time_expires") `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_716f00857156e4513805b2192e"`);
    await runner.query(`DROP TABLE "idempotency_keys"`);
    await runner.query(`DROP INDEX "public"."IDX_598a14447f592c12d1fe22ba91"`);
    await runner.query(`DROP INDEX "public"."IDX_deb68fe8625b21785d1c48283e"`);
    await runner.query(`DROP TABLE "api_keys"`);
    await runner.query(`DROP TABLE "workspaces"`);
    await runner.query(`DROP INDEX "public"."IDX_92d3e0c16cd49f4913ef09e961"`);
    await runner.query(`DROP INDEX "public"."IDX_902019d0807e0423933126e7cf"`);
    await runner.query(`DROP TABLE "storage_entries"`);
    await runner.query(`DROP INDEX "public"."IDX_a185b974ee4ee57d4ef5146fa4"`);
    await runner.query(`DROP TABLE "job_events"`);
    await runner.query(`DROP INDEX "public"."IDX_72846fc2c83cc4331124e80aea"`);
    await runner.query(`DROP INDEX "public"."IDX_145c6edf912d244ec998d3ddc0"`);
    await runner.query(`DROP TABLE "artifacts"`);
    await runner.query(`DROP TABLE "summaries"`);
    await runner.query(`DROP TABLE "identities"`);
    await runner.query(`DROP INDEX "public"."IDX_dccea64f2c2d909964746ec15f"`);
    await runner.query(`DROP TABLE "segments"`);
    await runner.query(`DROP TABLE "outbox"`);
    await runner.query(`DROP TABLE "folds"`);
    await runner.query(`DROP INDEX "public"."IDX_d63f8127204d3689a55bcf1983"`);
    await runner.query(`DROP INDEX "public"."IDX_744f065f4995de21301abd5c41"`);
    await runner.query(`DROP TABLE "chunk_analyses"`);
    await runner.query(`DROP INDEX "public"."IDX_b9d42295445c1c52682d2ec154"`);
    await runner.query(`DROP INDEX "public"."IDX_4d477a46b59468a7363e949778"`);
    await runner.query(`DROP TABLE "chunks"`);
    await runner.query(`DROP TABLE "job_sources"`);
    await runner.query(`DROP TABLE "job_analyses"`);
    await runner.query(`DROP TABLE "job_modules"`);
    await runner.query(`DROP INDEX "public"."IDX_81243521ac8372638ec02aa8a9"`);
    await runner.query(`DROP INDEX "public"."IDX_f26628cabe1d5c492528d62486"`);
    await runner.query(`DROP INDEX "public"."IDX_0947f1e0f51ab08d43bc2455f5"`);
    await runner.query(`DROP INDEX "public"."IDX_c6c2b01c4bcc0b2d8da8373754"`);
    await runner.query(`DROP INDEX "public"."IDX_19b70bd1421a651c53940646c6"`);
    await runner.query(`DROP INDEX "public"."IDX_1fb3b6863a40c681ed68599838"`);
    await runner.query(`DROP TABLE "jobs"`);
    await runner.query(`DROP INDEX "public"."IDX_382e9e97cdfa49d4173c5bf8db"`);
    await runner.query(`DROP TABLE "observations"`);
    await runner.query(`DROP INDEX "public"."IDX_9fe8587f78b8f8593a89f6327e"`);
    await runner.query(`DROP TABLE "media"`);
  }
}
