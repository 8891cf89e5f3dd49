import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditApiError, type AditClient, type Job } from '@adit/client';
import { download } from '../../engine/download.js';
import { Progress } from '../../output/progress.js';

export interface JobOrder {
  sources: string[];
  modules: Record<string, Record<string, unknown>>;
  /** Keeps a recording of a live stream. */
  record?: boolean;
}

const POLL_MS = 200;
/** They are named first. */
const FIRST = ['results.json', 'report.html'];

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
  client: AditClient,
  order: JobOrder,
  folder: string,
  options: { quiet: boolean; signal: AbortSignal },
): Promise<MinedJob> {
  const { signal } = options;
  const progress = new Progress(process.stderr, options.quiet);
  const { id } = await client.jobs.create(order);
  const onProgress = (job: Job): void => {
    for (const [module, { progress: share, state }] of Object.entries(job.modules)) {
      progress.show(module.replaceAll('_', ' '), share, state);
    }
  };
  try {
    const job = await untilEnded(client, id, onProgress, signal).catch(async (error: unknown) => {
      if (!signal.aborted) throw error;
      // It may have ended by itself at that very moment.
      await client.jobs.stop(id).catch((refused: unknown) => {
        if (!(refused instanceof AditApiError) || refused.code !== 'CONFLICT') throw refused;
      });
      return untilEnded(client, id, onProgress);
    });
    return { job, files: await fetchArtifacts(client, job, folder) };
  } finally {
    progress.stop();
  }
}

/** Waits on the engine's side, which tells the end at once, and looks how far it is meanwhile. */
async function untilEnded(
  client: AditClient,
  id: string,
  onProgress: (job: Job) => void,
  signal?: AbortSignal,
): Promise<Job> {
  const ended = new AbortController();
  const poll = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // Errors of the engine are reported by the wait.
      const job = await client.jobs.get(id).catch(() => null);
      if (job !== null) onProgress(job);
      await sleep(POLL_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  };
  const polling = poll();
  try {
    const job = await client.jobs.wait(id, signal === undefined ? {} : { signal });
    ended.abort();
    // In their order: what it was asked before is older.
    await polling;
    onProgress(job);
    return job;
  } finally {
    ended.abort();
    await polling;
  }
}

export async function fetchArtifacts(client: AditClient, job: Job, folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const ids = new Map<string, string>();
  for await (const { id, filename } of client.jobs.artifacts(job.id)) {
    // A name is all that it may be: the server may be another's.
    if (basename(filename) === filename && !/^\.|[\\\p{Cc}]/u.test(filename)) ids.set(filename, id);
  }
  const others = [...ids.keys()].filter((filename) => !FIRST.includes(filename)).sort();
  for (const filename of [...FIRST, ...others]) {
    const id = ids.get(filename);
    if (id === undefined) continue;
    await mkdir(folder, { recursive: true });
    files[filename] = join(folder, filename);
    await download(await client.jobs.artifactFile(job.id, id), files[filename]);
  }
  return files;
}
