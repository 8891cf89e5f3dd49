import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AditError,
  type Artifact,
  type DetailedResult,
  ERROR_CODES,
  type ErrorCode,
  type Job,
  type Page,
  type Problem,
  type SummarizedResult,
} from '@adit/contracts';

export interface JobOrder {
  sources: string[];
  modules: Record<string, Record<string, unknown>>;
  tag?: string;
}

/** The part of the API that the command line uses. Refusals come back as the AditError that the service raised. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  postJob(order: JobOrder): Promise<Job> {
    return this.json<Job>('POST', '/jobs/', order);
  }

  getJob(id: string): Promise<Job> {
    return this.json<Job>('GET', `/jobs/${id}/`);
  }

  stopJob(id: string): Promise<Job> {
    return this.json<Job>('POST', `/jobs/${id}/stop/`, {});
  }

  /** Every segment in order, a page at a time. */
  async *detailedResults(id: string): AsyncGenerator<DetailedResult> {
    for (let offset = 0; ;) {
      const page = await this.json<Page<DetailedResult>>(
        'GET',
        `/jobs/${id}/detailed-results/?offset=${offset}&limit=200`,
      );
      yield* page.data;
      offset += page.data.length;
      if (page.data.length === 0 || offset >= page.total) return;
    }
  }

  /** Every row of sums, a page at a time. */
  async *summarizedResults(id: string): AsyncGenerator<SummarizedResult> {
    for (let offset = 0; ;) {
      const page = await this.json<Page<SummarizedResult>>(
        'GET',
        `/jobs/${id}/summarized-results/?offset=${offset}&limit=1000`,
      );
      yield* page.data;
      offset += page.data.length;
      if (page.data.length === 0 || offset >= page.total) return;
    }
  }

  async artifacts(id: string): Promise<Artifact[]> {
    return (await this.json<Page<Artifact>>('GET', `/jobs/${id}/artifacts/?limit=100`)).data;
  }

  /** Writes an artifact to `path`, which appears whole or not at all. */
  async download(jobId: string, artifactId: string, path: string): Promise<void> {
    const reply = await this.call('GET', `/jobs/${jobId}/artifacts/${artifactId}/file/`);
    if (reply.body === null) throw new AditError('UNAVAILABLE', `The artifact for ${path} came without content.`);
    const part = `${path}.part`;
    await pipeline(Readable.fromWeb(reply.body), createWriteStream(part));
    await rename(part, path);
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    return (await (await this.call(method, path, body)).json()) as T;
  }

  private async call(method: string, path: string, body?: unknown): Promise<Response> {
    const reply = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Key ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.ok) return reply;
    throw await refusal(reply);
  }
}

async function refusal(reply: Response): Promise<AditError> {
  const problem = (await reply.json().catch(() => ({}))) as Partial<Problem>;
  const code = problem.code !== undefined && problem.code in ERROR_CODES ? (problem.code as ErrorCode) : 'INTERNAL';
  const detail = problem.detail ?? `The engine answered ${reply.status}.`;
  const more = (problem.errors ?? []).filter((error) => !detail.includes(error.message));
  return new AditError(code, detail + more.map((error) => `\n  ${error.pointer}: ${error.message}`).join(''));
}
