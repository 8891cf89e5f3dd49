import {
  AditApiError,
  AditClient,
  randomId,
  type Transcript,
  type TranscriptAccess,
  type TranscriptVariant,
  type TranscriptVersion,
  type ParagraphDifference,
  type VersionRequest,
} from '@adit/client';
import { ownFetch, ownFetchIn } from '../../shared/own-fetch.js';
import type { Paragraph, Paragraphs } from '../model/paragraph.js';

/** The largest page that the service gives. */
const PAGE = 1000;
const PAGE_CONCURRENCY = 3;
const EXPORT_POLL_MS = 500;

export type ExportFormat = 'srt' | 'vtt' | 'ttml' | 'stl' | 'txt' | 'docx' | 'json';

/** The part of the API that concerns one transcript. */
export class TranscriptApi {
  private client: AditClient;

  constructor(
    readonly transcriptId: string,
    private token: string,
    private apiKey = '',
  ) {
    this.client = new AditClient({ url: location.origin, ...(apiKey === '' ? { token } : { apiKey }) });
  }

  /** Whether there is anything to sign requests with. */
  get hasToken(): boolean {
    return this.token !== '' || this.apiKey !== '';
  }

  /**
   * Where somebody signed in to the console with this browser, its cookie does in place of a token, for the workspace that it looks at
   * now. Answers whether somebody did.
   */
  async enter(): Promise<boolean> {
    const reply = await fetch(`${location.origin}/console/session`).catch(() => null);
    const body: unknown = reply?.ok === true ? await reply.json() : null;
    const isSignedIn = typeof body === 'object' && body !== null && 'signed_in' in body && body.signed_in === true;
    if (!isSignedIn) return false;
    const { workspace } = await new AditClient({ url: location.origin, fetch: ownFetch }).request('GET /v1/me/');
    this.client = new AditClient({ url: location.origin, fetch: ownFetchIn(workspace.id) });
    return true;
  }

  /** Replaces the token by one that is still valid. */
  renew(token: string): void {
    this.token = token;
    this.apiKey = '';
    this.client = new AditClient({ url: location.origin, token });
  }

  transcript(): Promise<Transcript> {
    return this.client.request('GET /v1/transcripts/{transcriptId}/', { params: this.params });
  }

  access(): Promise<TranscriptAccess> {
    return this.client.request('GET /v1/transcripts/{transcriptId}/access/', { params: this.params });
  }

  /**
   * Address with the token in it, since a media element sends no headers of ours; by an API key, which is never part of an address, and
   * for whoever is signed in, one that is signed for minutes.
   */
  async mediaAddress({ job, source: address }: Transcript): Promise<string> {
    if (this.token === '') {
      const source = Math.max(0, job.sources.indexOf(address));
      const key = 'GET /v1/jobs/{jobId}/media/';
      const { link } = await this.client.request(key, { params: { jobId: job.id }, query: { source } });
      return `/api/v1/media/?link=${encodeURIComponent(link)}`;
    }
    return `/api/v1/transcripts/${encodeURIComponent(this.transcriptId)}/media/?token=${encodeURIComponent(this.token)}`;
  }

  async variants(): Promise<TranscriptVariant[]> {
    const query = { limit: PAGE, offset: 0 };
    return (await this.client.request('GET /v1/transcripts/{transcriptId}/variants/', { params: this.params, query }))
      .data;
  }

  variant(variantId: string): Promise<TranscriptVariant> {
    const params = { ...this.params, variantId };
    return this.client.request('GET /v1/transcripts/{transcriptId}/variants/{variantId}/', { params });
  }

  /** Lists versions, newest first. */
  versions(variantId: string, offset: number): Promise<{ total: number; data: TranscriptVersion[] }> {
    const key = 'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/';
    return this.client.request(key, { params: { ...this.params, variantId }, query: { offset, limit: 50 } });
  }

  version(variantId: string, version: number): Promise<TranscriptVersion> {
    const params = { ...this.params, variantId, version: String(version) };
    return this.client.request('GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/', {
      params,
    });
  }

  /** Reads all paragraphs of a version in their order; `onPage` gets those that have arrived. */
  async paragraphs(
    variantId: string,
    version: number,
    onPage?: (some: Paragraphs, total: number) => void,
  ): Promise<Paragraphs> {
    const params = { ...this.params, variantId, version: String(version) };
    const key = 'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/';
    const page = (offset: number, limit: number) => this.client.request(key, { params, query: { offset, limit } });
    /** Reads on: long paragraphs come in smaller pages than were asked for. */
    const some = async (offset: number, end: number): Promise<Paragraph[]> => {
      const { data, total } = await page(offset, end - offset);
      const next = offset + data.length;
      return data.length === 0 || next >= Math.min(end, total) ? data : [...data, ...(await some(next, end))];
    };
    // The first page is small, so that text appears quickly.
    const first = await page(0, 100);
    const all: Paragraph[] = [...first.data];
    onPage?.(first.data, first.total);
    for (let offset = all.length; offset < first.total; offset += PAGE_CONCURRENCY * PAGE) {
      const offsets = Array.from({ length: PAGE_CONCURRENCY }, (_, at) => offset + at * PAGE).filter(
        (at) => at < first.total,
      );
      for (const data of await Promise.all(offsets.map((at) => some(at, at + PAGE)))) all.push(...data);
      onPage?.([...all], first.total);
    }
    return all;
  }

  paragraph(variantId: string, version: number, paragraphId: string): Promise<Paragraph> {
    const params = { ...this.params, variantId, version: String(version), paragraphId };
    const key = 'GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/paragraphs/{paragraphId}/';
    return this.client.request(key, { params });
  }

  /** Writes a version on top of `seen`; null when that is no longer the newest. */
  async write(variantId: string, seen: number, body: VersionRequest): Promise<TranscriptVersion | null> {
    try {
      return await this.client.request('POST /v1/transcripts/{transcriptId}/variants/{variantId}/versions/', {
        params: { ...this.params, variantId },
        body,
        idempotencyKey: randomId(),
        headers: { 'if-match': `"${seen}"` },
      });
    } catch (error) {
      if (error instanceof AditApiError && isOutdated(error)) return null;
      throw error;
    }
  }

  differences(
    variantId: string,
    { from, to, offset }: { from: number; to: number; offset: number },
  ): Promise<{ total: number; data: ParagraphDifference[] }> {
    return this.client.request('GET /v1/transcripts/{transcriptId}/variants/{variantId}/versions/{version}/diff/', {
      params: { ...this.params, variantId, version: String(to) },
      query: { from: String(from), offset, limit: 100 },
    });
  }

  /** Exports a version and downloads the file. */
  async export(
    config: { variant_id: string; version: number; format: ExportFormat; underline_words: boolean },
    signal: AbortSignal,
  ): Promise<{ filename: string; bytes: Blob }> {
    const body = { strategy: 'transcript_export' as const, config: { transcript_id: this.transcriptId, ...config } };
    const { id: exportId } = await this.client.request('POST /v1/exports/', { body, signal });
    for (;;) {
      const { state, error_msg: why } = await this.client.request('GET /v1/exports/{exportId}/', {
        params: { exportId },
        signal,
      });
      if (state === 'completed') break;
      if (state === 'failed') throw new Error(why ?? 'The file could not be written. Try again.');
      await new Promise((resolve) => setTimeout(resolve, EXPORT_POLL_MS));
    }
    const files = await this.client.request('GET /v1/exports/{exportId}/artifacts/', {
      params: { exportId },
      query: { offset: 0, limit: 1 },
      signal,
    });
    const file = files.data[0];
    if (file === undefined) throw new Error('The export has no file. Try again.');
    const reply = await this.client.raw('GET /v1/exports/{exportId}/artifacts/{artifactId}/file/', {
      params: { exportId, artifactId: file.id },
      signal,
    });
    return { filename: file.filename, bytes: await reply.blob() };
  }

  private get params(): { transcriptId: string } {
    return { transcriptId: this.transcriptId };
  }
}

/** Tells an outdated version from an exhausted quota, which is a 409, too: reading the newest version would not help there. */
function isOutdated({ status, errors }: AditApiError): boolean {
  return status === 412 || (status === 409 && errors.some(({ code }) => /^(changed|removed)_since$/.test(code)));
}
