import { elementAt, type Job } from '@adit/contracts';
import { containing } from '@adit/database';
import { nameSummaries } from '@adit/indexes';
import { presentJob, shownColumns, type ShownRow } from '@adit/presentation';
import type { EntityManager } from 'typeorm';

/** Messages that are read at once: each may hold a picture. */
const PAGE = 100;

/** Names and addresses of an erased thing as messages about a job contain them. */
interface Shown {
  people?: readonly string[];
  /** Address of the file. */
  uri?: string;
}

/**
 * Messages about jobs, in the caller's transaction: those that were sent go, and those not sent yet that show the people or were
 * found in the file, which are never sent. The others sum up who the job shows and forget the name: they are sent without it.
 * Returns how many have gone.
 */
export async function removeMessages(
  manager: EntityManager,
  workspaceId: string,
  jobs: readonly string[],
  { people = [], uri }: Shown,
): Promise<number> {
  const shown = [
    ...people.map((id) => `"index_id":${JSON.stringify(id)}`),
    // In a result; summaries name it too.
    ...(uri === undefined ? [] : [`"source":${JSON.stringify(uri)},"module":`]),
  ];
  const [{ count }]: [{ count: number }] = await manager.query(
    `WITH gone AS (
       DELETE FROM webhook_deliveries WHERE job_id = ANY($1::uuid[])
          AND (time_ended IS NOT NULL OR data LIKE ANY($2::text[])) RETURNING id),
     attempts AS (DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM gone))
     SELECT count(*)::int AS count FROM gone`,
    [jobs, shown.map(containing)],
  );
  await sumUpAnew(manager, workspaceId, jobs);
  // Those of a stream show whom the job finds now; its errors name files.
  if (uri !== undefined) await manager.query('DELETE FROM workspace_events WHERE job_id = ANY($1::uuid[])', [jobs]);
  return count;
}

/** Messages about transcripts: those about their paragraphs hold the text. Returns how many have gone. */
export async function removeTranscriptMessages(
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

interface Pending {
  seq: string;
  jobId: string;
  data: string;
}

/** The summaries in what was not sent yet, as they read now. */
async function sumUpAnew(manager: EntityManager, workspaceId: string, jobs: readonly string[]): Promise<void> {
  const rows: ShownRow[] = await manager.query(
    `SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = ANY($1::uuid[]) AND j.time_deleted IS NULL`,
    [jobs],
  );
  await nameSummaries(manager, workspaceId, rows);
  const shown = new Map(rows.map((row) => [row.id, presentJob(row, row.modules, '')]));
  for (let after = '0', page: Pending[] = []; ; after = elementAt(page, page.length - 1).seq) {
    page = await manager.query(
      `SELECT seq, job_id AS "jobId", data FROM webhook_deliveries
        WHERE job_id = ANY($1::uuid[]) AND time_ended IS NULL AND seq > $2 ORDER BY seq LIMIT ${PAGE} FOR UPDATE`,
      [jobs, after],
    );
    if (page.length === 0) return;
    const changed = page.flatMap(({ seq, jobId, data }) => {
      const anew = withSummary(data, shown.get(jobId));
      return anew === data ? [] : [{ seq, anew }];
    });
    if (changed.length === 0) continue;
    await manager.query(
      `UPDATE webhook_deliveries d SET data = v.data FROM unnest($1::bigint[], $2::text[]) AS v (seq, data) WHERE d.seq = v.seq`,
      [changed.map(({ seq }) => seq), changed.map(({ anew }) => anew)],
    );
  }
}

/** The body of a message with the summary and the names that its job has now, where it has them. */
function withSummary(data: string, now: Job | undefined): string {
  const body: { job?: { source_names?: unknown; result?: { summary?: unknown } } } = JSON.parse(data);
  if (now === undefined || body.job?.result?.summary === undefined) return data;
  body.job.result.summary = now.result.summary;
  if (body.job.source_names !== undefined) body.job.source_names = now.source_names;
  return JSON.stringify(body);
}
