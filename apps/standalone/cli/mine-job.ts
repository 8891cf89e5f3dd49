import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, TERMINAL_JOB_STATES } from '@adit/contracts';
import type { ApiClient, JobOrder } from './api-client.js';
import { JobProgress } from './job-progress.js';

const POLL_MS = 200;
const ARTIFACTS = ['results.json', 'report.html'];

export interface MinedJob {
  job: Job;
  /** Absolute paths by file name; empty when the job left no artifacts. */
  files: Record<string, string>;
}

/**
 * Posts a job, shows its progress until it ends and fetches its artifacts into `folder`. When `signal` aborts, the job
 * is stopped and waited for.
 */
export async function mineJob(
  client: ApiClient,
  order: JobOrder,
  folder: string,
  options: { quiet: boolean; signal: AbortSignal },
): Promise<MinedJob> {
  const progress = new JobProgress(process.stderr, options.quiet);
  let job = await client.postJob(order);
  let stopping = false;
  try {
    progress.update(job);
    while (!isOver(job)) {
      if (options.signal.aborted && !stopping) {
        stopping = true;
        await client.stopJob(job.id);
      }
      await sleep(POLL_MS, undefined, stopping ? {} : { signal: options.signal }).catch(() => undefined);
      job = await client.getJob(job.id);
      progress.update(job);
    }
  } finally {
    progress.stop();
  }
  return { job, files: await fetchArtifacts(client, job, folder) };
}

function isOver(job: Job): boolean {
  return TERMINAL_JOB_STATES.some((state) => state === job.state);
}

async function fetchArtifacts(client: ApiClient, job: Job, folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const artifacts = await client.artifacts(job.id);
  for (const filename of ARTIFACTS) {
    const artifact = artifacts.find((candidate) => candidate.filename === filename);
    if (artifact === undefined) continue;
    await mkdir(folder, { recursive: true });
    files[filename] = join(folder, filename);
    await client.download(job.id, artifact.id, files[filename]);
  }
  return files;
}
