import { setTimeout as sleep } from 'node:timers/promises';
import {
  DetailedResultPage,
  Job,
  TERMINAL_JOB_STATES,
  type DetailedResult,
  type JobWebhook,
  type Problem,
} from '@adit/contracts';
import type { z } from 'zod';

const TIMEOUT_MS = 300_000;
const MAX_PAUSE_MS = 2_000;

export interface Order {
  sources: string[];
  modules?: Record<string, Record<string, unknown>>;
  tag?: string;
  ttl?: number;
  priority?: number;
  webhook?: JobWebhook;
  record?: boolean;
  rotate_seconds?: number;
}

/** A reply that was no success. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(`${status}: ${problem.detail}`);
  }
}

/** The API as any client speaks it; every reply is held against the contracts, strictly. */
export class Api {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /** The reply as it comes, but for 503: what is refused for now is asked again after its Retry-After, for a while. */
  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    for (const end = Date.now() + TIMEOUT_MS; ;) {
      const reply = await this.ask(method, path, body, headers);
      const seconds = Number(reply.headers.get('retry-after') ?? NaN);
      if (reply.status !== 503 || Number.isNaN(seconds) || Date.now() > end) return reply;
      await reply.body?.cancel();
      await sleep(Math.min(seconds * 1000, MAX_PAUSE_MS));
    }
  }

  private ask(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    const json = body !== undefined && !(body instanceof FormData);
    return fetch(path.startsWith('http') ? path : `${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Key ${this.key}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : body }),
    });
  }

  /** Throws Refused; throws when the reply is not exactly what `schema` says. */
  async call<T extends z.ZodType>(
    schema: T,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<z.infer<T>> {
    const reply = await this.request(method, path, body, headers);
    const content: unknown = await reply.json();
    if (!reply.ok) throw new Refused(reply.status, content as Problem);
    return schema.parse(content);
  }

  post({ modules = { face_recognition: {} }, ...order }: Order, headers: Record<string, string> = {}): Promise<Job> {
    return this.call(Job, 'POST', '/jobs/', { ...order, modules }, headers);
  }

  job(id: string, headers: Record<string, string> = {}): Promise<Job> {
    return this.call(Job, 'GET', `/jobs/${id}/`, undefined, headers);
  }

  /** Waits on the server's side until the job has ended. */
  async ended(id: string, seconds = 600): Promise<Job> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const job = await this.job(id, { prefer: 'wait=20' });
      if (TERMINAL_JOB_STATES.some((state) => state === job.state)) return job;
      if (Date.now() > end) throw new Error(`Job ${id} is still ${job.state} at ${job.progress}.`);
    }
  }

  /** Posts, waits, and expects that it completed. */
  async mine(order: Order): Promise<Job> {
    const job = await this.ended((await this.post(order)).id);
    if (job.state !== 'completed') throw new Error(`The job ${job.state}: ${job.errors.join(' ')}`);
    return job;
  }

  /** Every segment in order, by following `next`. */
  async segments(id: string, query: Record<string, string> = {}): Promise<DetailedResult[]> {
    const segments: DetailedResult[] = [];
    let next: string | null = `/jobs/${id}/detailed-results/?${new URLSearchParams(query).toString()}`;
    while (next !== null) {
      const page: DetailedResultPage = await this.call(DetailedResultPage, 'GET', next);
      segments.push(...page.data);
      next = page.next;
    }
    return segments;
  }

  /** The sum of a metric's samples, e.g. of `adit_decode_seconds_count` over its labels; of those with `label` alone. */
  async metric(name: string, label = ''): Promise<number> {
    const page = await (await this.request('GET', `${this.url}/metrics`)).text();
    const samples = page.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const asked = samples.filter((line) => line.includes(label));
    return asked.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }
}

type DetailedResultPage = z.infer<typeof DetailedResultPage>;
