import { containing } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Messages that are read at once: each may hold a picture. */
const PAGE = 100;

/** A message that was not sent yet. */
export interface PendingMessage {
  seq: string;
  jobId: string;
  data: string;
}

/**
 * Deletes messages about jobs: those that were sent, and those not sent yet that contain one of the texts. Returns how many have
 * gone.
 */
export async function deleteMessagesOfJobs(
  manager: EntityManager,
  jobs: readonly string[],
  texts: readonly string[],
): Promise<number> {
  const [{ count }]: [{ count: number }] = await manager.query(
    `WITH gone AS (
       DELETE FROM webhook_deliveries WHERE job_id = ANY($1::uuid[])
          AND (time_ended IS NOT NULL OR data LIKE ANY($2::text[])) RETURNING id),
     attempts AS (DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM gone))
     SELECT count(*)::int AS count FROM gone`,
    [jobs, texts.map(containing)],
  );
  return count;
}

/** Deletes messages about transcripts: those about their paragraphs hold the text. Returns how many have gone. */
export async function deleteMessagesOfTranscripts(
  manager: EntityManager,
  workspaceId: string,
  transcripts: readonly string[],
): Promise<number> {
  const [{ count }]: [{ count: number }] = await manager.query(
    `WITH gone AS (
       DELETE FROM webhook_deliveries d USING webhooks w
        WHERE w.workspace_id = $1 AND d.subscription = 'webhook:' || w.id AND d.event LIKE 'svc.transcript.%'
          AND d.data LIKE ANY($2::text[]) RETURNING d.id),
     attempts AS (DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM gone))
     SELECT count(*)::int AS count FROM gone`,
    [workspaceId, transcripts.map((id) => containing(`"transcript_id":${JSON.stringify(id)}`))],
  );
  return count;
}

/** Messages about jobs that were not sent yet, after one of them; nobody sends or changes these before the transaction ends. */
export function lockPendingMessages(
  manager: EntityManager,
  jobs: readonly string[],
  after: string,
): Promise<PendingMessage[]> {
  return manager.query(
    `SELECT seq, job_id AS "jobId", data FROM webhook_deliveries
      WHERE job_id = ANY($1::uuid[]) AND time_ended IS NULL AND seq > $2 ORDER BY seq LIMIT ${PAGE} FOR UPDATE`,
    [jobs, after],
  );
}

/** Gives messages another text. */
export async function rewriteMessages(
  manager: EntityManager,
  changed: readonly Pick<PendingMessage, 'seq' | 'data'>[],
): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries d SET data = v.data FROM unnest($1::bigint[], $2::text[]) AS v (seq, data) WHERE d.seq = v.seq`,
    [changed.map(({ seq }) => seq), changed.map(({ data }) => data)],
  );
}
