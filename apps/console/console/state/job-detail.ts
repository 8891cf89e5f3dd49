import { AditApiError, type Artifact, type Job, type SummarizedResult } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { segmentOf, type Segment } from '../model/segments.js';
import { saveAs } from './download.js';
import type { Session } from './session.js';

const PAGE = 500;
const POLL_MS = 1_000;
/** Files and sums of a job; the list of files says where there are more. */
const MAX_FILES = 200;
const MAX_SUMS = 500;

export interface Media {
  url: string;
  filename: string;
  contentType: string;
}

/** A job and what it found, read on while it runs. */
export class JobDetail extends Observable {
  job: Job | null = null;
  segments: Segment[] = [];
  /** Number of segments that the service has. */
  total = 0;
  sums: SummarizedResult[] = [];
  files: Artifact[] = [];
  /** Id of its newest transcript. */
  transcript: string | null = null;
  fault: unknown = null;
  /** The source for a player; null while it is asked for, and where it cannot be played. */
  media: Media | null = null;
  isPlayable = true;
  private ended = false;

  constructor(
    readonly session: Session,
    readonly jobId: string,
    /** Index of the source that is shown. */
    public source = 0,
  ) {
    super();
  }

  /** Reads the job until it has ended, or the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        await this.read(signal);
        this.fault = null;
      } catch (error) {
        if (isOver()) return;
        this.session.notice(error);
        this.set({ fault: error });
        if (error instanceof AditApiError && error.status < 500) return;
      }
      if (this.ended) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async stop(): Promise<void> {
    this.set({ job: await this.session.client.jobs.stop(this.jobId) });
  }

  /** Runs what failed again. What was found by it before is read anew. */
  async retry(signal: AbortSignal): Promise<void> {
    const job = await this.session.client.jobs.retry(this.jobId);
    this.ended = false;
    this.set({ job, segments: [], total: 0, sums: [], files: [] });
    void this.follow(signal);
  }

  remove(): Promise<void> {
    return this.session.client.jobs.delete(this.jobId);
  }

  async show(source: number): Promise<void> {
    this.set({ source, media: null, isPlayable: true });
    await this.readMedia();
  }

  /** Asks for an address of the media that is good for minutes from now on. */
  async readMedia(): Promise<void> {
    const { source } = this;
    try {
      const reply = await this.session.client.request('GET /v1/jobs/{jobId}/media/', {
        params: { jobId: this.jobId },
        query: { source },
      });
      if (source !== this.source) return;
      // The service may be known by another address than the one that this page came by.
      const url = `${this.session.address}/api/v1/media/?link=${encodeURIComponent(reply.link)}`;
      this.set({ media: { url, filename: reply.filename, contentType: reply.content_type ?? '' }, isPlayable: true });
    } catch (error) {
      this.session.notice(error);
      if (source === this.source) this.set({ media: null, isPlayable: false });
    }
  }

  /** The picture of a segment as a data address; null without one. */
  async picture({ index }: Segment): Promise<string | null> {
    const { data } = await this.session.client.request('GET /v1/jobs/{jobId}/detailed-results/', {
      params: { jobId: this.jobId },
      query: { offset: index, limit: 1 },
    });
    const image = data[0]?.thumbnail?.image;
    return image === undefined ? null : `data:image/jpeg;base64,${image}`;
  }

  /** A file as the person's browser saves it. */
  async download({ id, filename }: Artifact): Promise<void> {
    await saveAs(await this.session.client.jobs.artifactFile(this.jobId, id), filename);
  }

  async makeTranscript(): Promise<void> {
    const { id } = await this.session.client.request('POST /v1/transcripts/', { body: { job_id: this.jobId } });
    this.set({ transcript: id });
  }

  private async read(signal: AbortSignal): Promise<void> {
    const isFirst = this.job === null;
    const job = await this.session.client.jobs.get(this.jobId);
    this.set({ job });
    if (isFirst) void this.readMedia();
    const isOver = job.time_completed !== null;
    await this.readSegments(signal);
    if (!isOver || signal.aborted) return;
    await this.readRest();
    this.ended = true;
  }

  /** Those that came since: offsets stay. */
  private async readSegments(signal: AbortSignal): Promise<void> {
    for (;;) {
      const offset = this.segments.length;
      const { data, total } = await this.session.client.request('GET /v1/jobs/{jobId}/detailed-results/', {
        ...{ params: { jobId: this.jobId }, query: { offset, limit: PAGE }, signal },
      });
      const found = data.map((result, at) => segmentOf(result, offset + at));
      if (found.length > 0 || total !== this.total) this.set({ segments: [...this.segments, ...found], total });
      if (data.length === 0 || offset + data.length >= total) return;
    }
  }

  private async readRest(): Promise<void> {
    const params = { jobId: this.jobId };
    const { client } = this.session;
    const [sums, files, transcripts] = await Promise.all([
      client.request('GET /v1/jobs/{jobId}/summarized-results/', { params, query: { limit: MAX_SUMS } }),
      client.request('GET /v1/jobs/{jobId}/artifacts/', { params, query: { limit: MAX_FILES } }),
      client.request('GET /v1/transcripts/', { query: { job_id: this.jobId, limit: 1 } }),
    ]);
    this.set({ sums: sums.data, files: files.data, transcript: transcripts.data[0]?.id ?? null });
  }

  private set(
    state: Partial<
      Pick<
        JobDetail,
        'job' | 'segments' | 'total' | 'sums' | 'files' | 'transcript' | 'fault' | 'source' | 'media' | 'isPlayable'
      >
    >,
  ): void {
    Object.assign(this, state);
    this.changed();
  }
}
