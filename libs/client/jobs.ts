import type { ApiClient } from './api-client.js';
import { AditTimeoutError } from './errors.js';
import { jsonOf } from './request.js';
import type { Artifact, DetailedResult, Job, Operations, SummarizedResult } from './schema.js';
import { sleep } from './transport.js';

export type JobOrder = Operations['POST /v1/jobs/']['body'];

export interface Waiting {
  /** Throws AditTimeoutError after so many; without end unless given. */
  timeoutSeconds?: number;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal;
  /** Called with the job at the beginning, whenever it was looked at, and at the end. The job is then polled. */
  onProgress?: (job: Job) => void;
  /** Between two looks, when there is somebody to tell; default 500. */
  pollMs?: number;
}

export interface ClipWish extends Pick<Waiting, 'timeoutSeconds' | 'signal'> {
  /** Encoded anew, so that it begins and ends at the very frames; else it begins at the keyframe before. */
  exact?: boolean;
  handles?: number;
}

type ResultFilter = Omit<Operations['GET /v1/jobs/{jobId}/detailed-results/']['query'], 'offset' | 'limit' | 'cursor'>;

const ENDED = new Set<Job['state']>(['completed', 'failed', 'stopped']);
/** Seconds that one request waits on the server's side. */
const WAIT_SECONDS = 30;
const POLL_MS = 500;
/** Status of a clip that is being cut. */
const BEING_MADE = 202;
/** Jobs that one request deletes at the most. */
const MANY = 1_000;

export class Jobs {
  constructor(private readonly client: ApiClient) {}

  /** Give an `idempotencyKey` where posting twice would hurt: then it is repeated over broken connections. */
  create(order: JobOrder, options: { idempotencyKey?: string; signal?: AbortSignal } = {}): Promise<Job> {
    return this.client.request('POST /v1/jobs/', { body: order, ...options });
  }

  get(jobId: string): Promise<Job> {
    return this.client.request('GET /v1/jobs/{jobId}/', { params: { jobId } });
  }

  /**
   * The job, and those that have gone on with its live stream since: the last one is the one to stop. Of other jobs the
   * job alone.
   */
  async *parts(jobId: string): AsyncGenerator<Job> {
    for (let id: string | null = jobId; id !== null;) {
      const job: Job = await this.get(id);
      yield job;
      id = job.next_part ?? null;
    }
  }

  /** Newest first. */
  list(query: Operations['GET /v1/jobs/']['query'] = {}): AsyncGenerator<Job> {
    return this.client.items('GET /v1/jobs/', { query });
  }

  stop(jobId: string): Promise<Job> {
    return this.client.request('POST /v1/jobs/{jobId}/stop/', { params: { jobId } });
  }

  retry(jobId: string): Promise<Job> {
    return this.client.request('POST /v1/jobs/{jobId}/retry/', { params: { jobId } });
  }

  async delete(jobId: string): Promise<void> {
    await this.client.request('DELETE /v1/jobs/{jobId}/', { params: { jobId } });
  }

  /**
   * Deletes those that have ended and that all of the filters find, or those of `ids`, however many they are. Returns their ids.
   */
  async deleteAll(
    query: Omit<Operations['DELETE /v1/jobs/']['query'], 'limit'>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<string[]> {
    const gone: string[] = [];
    for (;;) {
      const { ids, more } = await this.client.request('DELETE /v1/jobs/', {
        query: { limit: MANY, ...query },
        ...(signal && { signal }),
      });
      gone.push(...ids);
      if (!more) return gone;
    }
  }

  /** Segments in the order in which they became final. */
  detailedResults(jobId: string, filter: ResultFilter = {}): AsyncGenerator<DetailedResult> {
    return this.client.items('GET /v1/jobs/{jobId}/detailed-results/', { params: { jobId }, query: filter });
  }

  summarizedResults(jobId: string): AsyncGenerator<SummarizedResult> {
    return this.client.items('GET /v1/jobs/{jobId}/summarized-results/', { params: { jobId } });
  }

  artifacts(jobId: string): AsyncGenerator<Artifact> {
    return this.client.items('GET /v1/jobs/{jobId}/artifacts/', { params: { jobId } });
  }

  /** The file of an artifact, to be read as a stream. */
  artifactFile(jobId: string, artifactId: string): Promise<Response> {
    return this.client.raw('GET /v1/jobs/{jobId}/artifacts/{artifactId}/file/', { params: { jobId, artifactId } });
  }

  /**
   * The clip of a segment, to be read as a stream, once it is cut. `segmentId` is its number in the detailed results without
   * filters, from 0; `handles` are seconds more at both ends, whole or half ones.
   */
  async clip(
    jobId: string,
    segmentId: number,
    { exact = false, handles = 0, timeoutSeconds = Infinity, signal }: ClipWish = {},
  ): Promise<Response> {
    const end = performance.now() + timeoutSeconds * 1000;
    for (;;) {
      const reply = await this.client.raw('GET /v1/jobs/{jobId}/detailed-results/{segmentId}/clip/', {
        params: { jobId, segmentId },
        query: { exact, handles },
        ...(signal === undefined ? {} : { signal }),
      });
      if (reply.status !== BEING_MADE) return reply;
      const left = end - performance.now();
      if (left <= 0)
        throw new AditTimeoutError(`The clip of segment ${segmentId} is not cut after ${timeoutSeconds} s.`);
      await sleep(Math.min(Number(reply.headers.get('retry-after')) * 1000 || POLL_MS, left), signal);
    }
  }

  /** The job once it has completed, failed or was stopped. */
  async wait(
    jobId: string,
    { timeoutSeconds = Infinity, signal, onProgress, pollMs = POLL_MS }: Waiting = {},
  ): Promise<Job> {
    const end = performance.now() + timeoutSeconds * 1000;
    for (;;) {
      const left = end - performance.now();
      const seconds = onProgress === undefined ? Math.floor(Math.min(WAIT_SECONDS, left / 1000)) : 0;
      const reply = await this.client.raw('GET /v1/jobs/{jobId}/', {
        params: { jobId },
        ...(seconds > 0 ? { headers: { prefer: `wait=${seconds}` } } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
      const job = await jsonOf<Job>(reply);
      onProgress?.(job);
      if (ENDED.has(job.state)) return job;
      if (performance.now() >= end)
        throw new AditTimeoutError(`Job ${jobId} is still ${job.state} after ${timeoutSeconds} s.`);
      // A server that waited leaves nothing to wait for here.
      if (!reply.headers.has('preference-applied'))
        await sleep(Math.max(0, Math.min(pollMs, end - performance.now())), signal);
    }
  }

  /** Posts a job and waits for its end. */
  async run(order: JobOrder, waiting: Waiting & { idempotencyKey?: string } = {}): Promise<Job> {
    const { idempotencyKey, signal } = waiting;
    const { id } = await this.create(order, {
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(signal === undefined ? {} : { signal }),
    });
    return this.wait(id, waiting);
  }
}
