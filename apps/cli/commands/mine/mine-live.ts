import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditApiError, type AditClient, type Job } from '@adit/client';
import { resultLine } from '../../output/results-table.js';
import { fetchArtifacts, type JobOrder, type MinedJob } from './mine-job.js';

const POLL_MS = 1_000;
/** Results that one request reads. */
const PAGE = 100;
const ENDED: readonly Job['state'][] = ['completed', 'failed', 'stopped'];

interface Following {
  quiet: boolean;
  signal: AbortSignal;
  /** The engine runs elsewhere, and the job goes on when this command ends. */
  goesOn: boolean;
}

/**
 * Posts the job of a live stream and prints what is found as it becomes final. When `signal` aborts, the job is left
 * to its engine where that goes on, else stopped. Of a stream in parts, the files of each but the last lie in a folder of
 * their own, named by its job.
 */
export async function mineLive(
  client: AditClient,
  order: JobOrder,
  folder: string,
  { quiet, signal, goesOn }: Following,
): Promise<MinedJob> {
  let { id } = await client.jobs.create(order);
  if (!quiet) process.stderr.write(`Job ${id} reads the stream; Ctrl-C ends the watching.\n`);
  if (order.record === true && !quiet) {
    const { playlist } = await client.request('GET /v1/jobs/{jobId}/recording/', { params: { jobId: id } });
    process.stderr.write(`Recording, in a few seconds: ${playlist}\n`);
  }
  let seen = 0;
  for (;;) {
    const job = await client.jobs.get(id);
    // Results before the end, which was read first: none is missed.
    seen = await printNew(client, id, seen, quiet);
    if (ENDED.includes(job.state)) {
      if (job.next_part == null) return { job, files: await fetchArtifacts(client, job, folder) };
      await fetchArtifacts(client, job, join(folder, id));
      [id, seen] = [job.next_part, 0];
      if (!quiet) process.stderr.write(`Job ${id} goes on with the stream.\n`);
      continue;
    }
    if (!signal.aborted) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) continue;
    if (goesOn) {
      process.stderr.write(
        `The job goes on. \`adit jobs stop ${id}\` ends it, \`adit jobs show ${id}\` looks at it.\n`,
      );
      return { job, files: {} };
    }
    await stop(client, id);
    await client.jobs.wait(id);
  }
}

/** Prints results from a number on; returns the number of the next one. */
async function printNew(client: AditClient, jobId: string, from: number, quiet: boolean): Promise<number> {
  for (let offset = from; ;) {
    const query = { offset, limit: PAGE };
    const { data } = await client.request('GET /v1/jobs/{jobId}/detailed-results/', { params: { jobId }, query });
    if (!quiet) process.stdout.write(data.map((result) => `${resultLine(result)}\n`).join(''));
    offset += data.length;
    if (data.length < PAGE) return offset;
  }
}

async function stop(client: AditClient, id: string): Promise<void> {
  await client.jobs.stop(id).catch((refused: unknown) => {
    // It may have ended by itself at that very moment, or its next part goes on.
    if (!(refused instanceof AditApiError) || refused.code !== 'CONFLICT') throw refused;
  });
}
