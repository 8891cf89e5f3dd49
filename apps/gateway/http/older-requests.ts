import { createHash } from 'node:crypto';
import { LIFETIME_SECONDS } from '@adit/contracts';
import type { DataSource } from 'typeorm';

/**
 * Builds that did not yet note what a request with an Idempotency-Key has done gave what it made an id that the request determines.
 * They may work beside this one during an upgrade: what one of them made before it died is found by that id. By the paths of the
 * routes, where it lies.
 */
const MADE: Readonly<Record<string, string>> = {
  '/v1/jobs/': 'jobs',
  '/v1/batches/': 'batches',
  '/v1/batches/:batchId/report/': 'reports',
  '/v1/datasets/': 'datasets',
  '/v1/datasets/:datasetId/classes/': 'dataset_classes',
  '/v1/datasets/:datasetId/classes/:classId/images/': 'dataset_images',
  '/v1/datasets/:datasetId/imports/': 'dataset_imports',
  '/v1/erasures/': 'erasures',
  '/v1/exports/': 'exports',
  '/v1/index-collection/': 'index_collections',
  '/v1/trainings/': 'trainings',
  '/v1/transcripts/': 'transcripts',
  '/v1/transcripts/:transcriptId/variants/': 'transcript_variants',
  '/v1/webhooks/': 'webhooks',
  '/v1/workspaces/': 'workspaces',
};

/**
 * Returns the id of the resource that an older build made of this request within a day. Null when it made none, or this
 * build cannot tell.
 */
export async function madeByOlder(
  db: DataSource,
  path: string,
  { workspaceId, key, requestDigest }: { workspaceId: string; key: string; requestDigest: string },
): Promise<string | null> {
  const table = MADE[path];
  if (table === undefined) return null;
  const id = uuidOf(`${workspaceId} ${key} ${requestDigest}`);
  const rows: unknown[] = await db.query(
    `SELECT 1 FROM "${table}" WHERE id = $1 AND time_created > now() - make_interval(secs => $2)`,
    [id, LIFETIME_SECONDS.idempotencyKey],
  );
  return rows.length > 0 ? id : null;
}

/** A UUID that `text` determines: version 8 of RFC 9562, over SHA-256. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
