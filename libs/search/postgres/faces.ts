/** Statements that write the table `search_faces`: embeddings of faces, for searches by a photo. */
import { lockHeldTags, retentionSeconds, returned, rowsOfJob, rowsOfWorkspace } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Each has some kilobytes. */
const ROWS_PER_INSERT = 500;

/** The face of a segment, as its embedding of length 1. */
export interface SegmentFace {
  seq: number;
  embedding: readonly number[];
}

/** Rows that go with their job, and with their workspace. */
export const rowsOfFaces = rowsOfJob('search_faces');
export const FACE_ROWS = rowsOfWorkspace('search_faces', { kind: 'embeddings' });

/**
 * Digest of the network of this name that faces of the job are kept by; null where its workspace keeps none, as by default,
 * or the job has no such network.
 */
export async function networkOfFaces(manager: EntityManager, jobId: string, name: string): Promise<string | null> {
  const [row]: { digest: string }[] = await manager.query(
    `SELECT m ->> 'digest' AS digest
       FROM jobs j JOIN job_analyses a ON a.job_id = j.id, jsonb_array_elements(a.models) m
      WHERE j.id = $1 AND m ->> 'name' = $2 AND ${areKept('j.workspace_id')} LIMIT 1`,
    [jobId, name],
  );
  return row?.digest ?? null;
}

/** Whether the workspace keeps faces of what its jobs find from now on. */
export async function areFacesKept(manager: Pick<EntityManager, 'query'>, workspaceId: string): Promise<boolean> {
  const [row]: { kept: boolean }[] = await manager.query(`SELECT ${areKept('$1::uuid')} AS kept`, [workspaceId]);
  return row?.kept === true;
}

/** SQL; kept without a limit is kept, too. */
function areKept(workspaceId: string): string {
  return `coalesce(${retentionSeconds('faces', workspaceId)}, 1) > 0`;
}

/** Keeps faces of new segments, in the transaction that writes these. */
export async function keepFaces(
  manager: EntityManager,
  { jobId, workspaceId, network }: { jobId: string; workspaceId: string; network: string },
  faces: readonly SegmentFace[],
): Promise<void> {
  for (let at = 0; at < faces.length; at += ROWS_PER_INSERT) {
    const part = faces.slice(at, at + ROWS_PER_INSERT);
    await manager.query(
      `INSERT INTO search_faces (workspace_id, job_id, seq, network, embedding)
       SELECT $1, $2, f.seq, $3, f.embedding::real[] FROM unnest($4::int[], $5::text[]) AS f (seq, embedding)`,
      [
        ...[workspaceId, jobId, network],
        ...[part.map(({ seq }) => seq), part.map(({ embedding }) => `{${embedding.join()}}`)],
      ],
    );
  }
}

/** Removes the faces of segments by their numbers, in the transaction that changes or removes these. */
export async function removeFaces(
  manager: EntityManager,
  segments: readonly { jobId: string; seq: number }[],
): Promise<void> {
  await manager.query(
    `DELETE FROM search_faces f USING unnest($1::uuid[], $2::int[]) AS s (job_id, seq)
      WHERE f.job_id = s.job_id AND f.seq = s.seq`,
    [segments.map(({ jobId }) => jobId), segments.map(({ seq }) => seq)],
  );
}

/** Makes people of index collections unfindable by their faces, in the transaction that removes them. */
export async function forgetFaces(manager: EntityManager, indexIds: readonly string[]): Promise<void> {
  await manager.query(
    `DELETE FROM search_faces f USING segments s
      WHERE s.index_id = ANY($1::text[]) AND f.job_id = s.job_id AND f.seq = s.seq`,
    [[...indexIds]],
  );
}

/** Gives the faces of a job's segments the numbers that these are about to get: dense ones, in their order. */
export async function renumberFaces(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE search_faces f SET seq = n.seq
       FROM (SELECT seq AS old, row_number() OVER (ORDER BY seq) - 1 AS seq FROM segments WHERE job_id = $1) n
      WHERE f.job_id = $1 AND f.seq = n.old AND n.seq <> n.old`,
    [jobId],
  );
}

/** Where a walk through the faces of a workspace is, the oldest first. */
export interface FacePosition {
  id: string;
  /** Exact, as the database writes it. */
  time: string;
}

/**
 * Removes some of the faces that were found before a time, behind a position; those of jobs under a legal hold stay. Answers
 * how many went, and where to go on; null at the end. The caller's transaction lets no hold begin meanwhile.
 */
export async function expireFaces(
  manager: EntityManager,
  {
    workspaceId,
    before,
    after,
    limit,
  }: { workspaceId: string; before: Date; after: FacePosition | null; limit: number },
): Promise<{ removed: number; after: FacePosition | null }> {
  const heldTags = await lockHeldTags(manager, workspaceId);
  const rows: (FacePosition & { held: boolean })[] = await manager.query(
    `SELECT f.id, f.time_created::text AS time, coalesce(j.tag = ANY($3::text[]), false) AS held
       FROM search_faces f LEFT JOIN jobs j ON j.id = f.job_id
      WHERE f.workspace_id = $1 AND f.time_created < $2
        AND ($4::timestamptz IS NULL OR (f.time_created, f.id) > ($4::timestamptz, $5::bigint))
      ORDER BY f.time_created, f.id LIMIT $6`,
    [workspaceId, before, [...heldTags], after?.time ?? null, after?.id ?? null, limit],
  );
  const due = rows.flatMap(({ id, held }) => (held ? [] : [id]));
  const gone = returned(
    await manager.query('DELETE FROM search_faces WHERE id = ANY($1::bigint[]) RETURNING id', [due]),
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { removed: gone.length, after: last === undefined ? null : { id: last.id, time: last.time } };
}
