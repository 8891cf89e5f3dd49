import { AditError } from '@adit/contracts';
import { signsOf, vectorSupport } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { MOST_FACES, type AskedFace, type Question } from '../port.js';

/** Faces of a workspace up to which all are compared: it takes some 50 ms, and is exact. */
const ALL_COMPARED = 20_000;
/** Of more, so many whose signs have the most in common with the photo's are compared. */
const COMPARED = 2 * MOST_FACES;
/**
 * The scan of the index goes on until enough faces of this workspace are found, with a limit, and is planned for this workspace
 * instead of an average one.
 */
const SETTINGS = `SELECT set_config('hnsw.ef_search', '1000', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.max_scan_tuples', '60000', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;
/** Distances are told apart by ten-thousandths, as results show them. */
const STEPS = 10_000;

/** Segments whose face is like that of a photo, the nearest first. */
export interface NearestFaces {
  jobIds: string[];
  seqs: number[];
  /** In ten-thousandths. */
  distances: number[];
  /** False: there are more. */
  isComplete: boolean;
}

/** @param steps ten-thousandths */
export function distanceOf(steps: number): number {
  return steps / STEPS;
}

/**
 * Finds the faces within the distance of a question, MOST_FACES at the most. Throws CONFLICT where the database cannot
 * compare them.
 */
export async function nearestFaces(
  manager: EntityManager,
  { workspaceId, face, filter }: Pick<Question, 'workspaceId' | 'filter'> & { face: AskedFace },
): Promise<NearestFaces> {
  const { version } = await vectorSupport(manager);
  if (version === null) {
    throw new AditError(
      'CONFLICT',
      'The database has no pgvector 0.8 or later, which searches by a photo need. Have an administrator install it and run "adit migrate".',
    );
  }
  const dimensions = face.embedding.length;
  const signs = (of: string): string => signsOf(`${of}::vector(${dimensions})`, dimensions);
  const own = `workspace_id = $1 AND network = $2 AND cardinality(embedding) = ${dimensions}
    AND ($4::uuid IS NULL OR job_id = $4)`;
  const jobId = filter.jobId ?? null;
  const isByIndex = jobId === null && (await isLarge(manager, workspaceId));
  if (isByIndex) await manager.query(SETTINGS);
  const compared = isByIndex
    ? `(SELECT job_id, seq, embedding FROM search_faces WHERE ${own}
         ORDER BY ${signs('embedding')} <~> ${signs('$3')} LIMIT ${COMPARED}) compared`
    : `search_faces WHERE ${own}`;
  const rows: { jobId: string; seq: number; distance: number }[] = await manager.query(
    `SELECT * FROM (
       SELECT job_id AS "jobId", seq, embedding::vector(${dimensions}) <-> $3::vector(${dimensions}) AS distance
         FROM ${compared}) measured
      WHERE distance <= $5 ORDER BY distance LIMIT ${MOST_FACES + 1}`,
    [workspaceId, face.network, `[${face.embedding.join()}]`, jobId, face.maxDistance],
  );
  const found = rows.slice(0, MOST_FACES);
  return {
    jobIds: found.map((row) => row.jobId),
    seqs: found.map(({ seq }) => seq),
    distances: found.map(({ distance }) => Math.round(distance * STEPS)),
    isComplete: rows.length <= MOST_FACES,
  };
}

async function isLarge(manager: EntityManager, workspaceId: string): Promise<boolean> {
  const [row]: [{ count: number }] = await manager.query(
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM search_faces WHERE workspace_id = $1 LIMIT ${ALL_COMPARED + 1}) counted`,
    [workspaceId],
  );
  return row.count > ALL_COMPARED;
}
