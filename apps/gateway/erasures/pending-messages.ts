import { elementAt, type Job } from '@adit/contracts';
import { nameSummaries } from '@adit/indexes';
import { presentJob, shownColumns, type ShownRow } from '@adit/presentation';
import {
  deleteEventsOfJobs,
  deleteMessagesOfJobs,
  lockPendingMessages,
  rewriteMessages,
  type PendingMessage,
} from '@adit/webhooks';
import type { EntityManager } from 'typeorm';

/** Names of the erased people and address of the erased file, as messages about a job write them. */
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
  const count = await deleteMessagesOfJobs(manager, jobs, shown);
  await sumUpAnew(manager, workspaceId, jobs);
  // Those of a stream show whom the job finds now; its errors name files.
  if (uri !== undefined) await deleteEventsOfJobs(manager, jobs);
  return count;
}

/** The summaries in what was not sent yet, as they read now. */
async function sumUpAnew(manager: EntityManager, workspaceId: string, jobs: readonly string[]): Promise<void> {
  const rows: ShownRow[] = await manager.query(
    `SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = ANY($1::uuid[]) AND j.time_deleted IS NULL`,
    [jobs],
  );
  await nameSummaries(manager, workspaceId, rows);
  const shown = new Map(rows.map((row) => [row.id, presentJob(row, row.modules, '')]));
  for (let after = '0', page: PendingMessage[] = []; ; after = elementAt(page, page.length - 1).seq) {
    page = await lockPendingMessages(manager, jobs, after);
    if (page.length === 0) return;
    const changed = page.flatMap(({ seq, jobId, data }) => {
      const anew = withSummary(data, shown.get(jobId));
      return anew === data ? [] : [{ seq, data: anew }];
    });
    if (changed.length > 0) await rewriteMessages(manager, changed);
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
