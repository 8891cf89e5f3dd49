import {
  AditApiError,
  type DetailedResult,
  type Job,
  type LiveStream,
  type Recording,
  type StreamGap,
} from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { OneAtATime } from '../../shared/one-at-a-time.js';
import { boxesIn, type FoundBox } from '../model/streams.js';
import { followEvents, type Live } from './follow-events.js';
import type { Session } from './session.js';

const POLL_MS = 2_000;
/** Newest gaps that are listed. */
const MAX_GAPS = 50;
/** Results around the newest picture. */
const RESULTS = 50;

/** The newest picture in which something was found. */
export interface NewestPicture {
  /** Data address. */
  url: string;
  width: number;
  height: number;
  /** Seconds of stream time. */
  time: number;
  boxes: FoundBox[];
}

/** A live stream and the newest of what is known of it. */
export class StreamDetail extends Observable {
  stream: LiveStream | null = null;
  job: Job | null = null;
  picture: NewestPicture | null = null;
  /** The newest first. */
  results: DetailedResult[] = [];
  /** The newest first. */
  gaps: StreamGap[] = [];
  /** Address of the playlist; null where it is not recorded, or nothing is there yet. */
  playlist: string | null = null;
  fault: unknown = null;
  live: Live = 'connecting';
  private readonly reads = new OneAtATime(() => this.readAll());

  constructor(
    readonly session: Session,
    readonly jobId: string,
  ) {
    super();
  }

  /** Follows the stream until the signal. */
  follow(signal: AbortSignal): void {
    const read = (): void => void this.read();
    read();
    const rests = (): boolean => document.hidden || this.stream?.reading === 'ended' || this.reads.isRunning;
    const timer = setInterval(() => rests() || read(), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    void followEvents(this.session, signal, {
      onEvent: ({ event }) => void ((event.startsWith('svc.job.') || event.startsWith('svc.stream.')) && read()),
      onLive: (live) => this.set({ live }),
      onMissed: () => this.read(),
    });
  }

  async stop(): Promise<void> {
    this.set({ job: await this.session.client.jobs.stop(this.jobId) });
    await this.read();
  }

  /** What happens while it is read is read after it. */
  read(): Promise<void> {
    return this.reads.run();
  }

  private async readAll(): Promise<void> {
    try {
      const before = this.stream;
      const stream = await this.session.client.request('GET /v1/jobs/{jobId}/stream/', { params: this.params });
      const job =
        this.job === null || before?.state !== stream.state || before.next_part !== stream.next_part
          ? await this.session.client.request('GET /v1/jobs/{jobId}/', { params: this.params })
          : this.job;
      this.set({ stream, job, fault: null });
      await Promise.all([
        before?.segment_count === stream.segment_count ? null : this.readResults(stream),
        before?.gap_count === stream.gap_count && before.last_gap?.number === stream.last_gap?.number
          ? null
          : this.readGaps(stream),
        stream.recorded && this.playlist === null ? this.readRecording() : null,
      ]);
    } catch (error) {
      this.session.notice(error);
      this.set({ fault: error });
    }
  }

  private async readResults({ segment_count: count }: LiveStream): Promise<void> {
    if (count === 0) return;
    const read = async (offset: number): Promise<DetailedResult[]> => {
      const { data } = await this.session.client.request('GET /v1/jobs/{jobId}/detailed-results/', {
        params: this.params,
        query: { offset, limit: RESULTS },
      });
      return data;
    };
    const found = await this.session.client
      .request('GET /v1/jobs/{jobId}/stream/picture/', { params: this.params })
      .catch(nullIfMissing);
    const results = await read(found?.results_offset ?? Math.max(0, count - RESULTS));
    this.set({
      results: results.toReversed(),
      picture: found && {
        ...{ url: `data:image/jpeg;base64,${found.image}`, width: found.width, height: found.height, time: found.time },
        boxes: boxesIn(results, found.frame),
      },
    });
  }

  private async readGaps({ gap_count: count }: LiveStream): Promise<void> {
    const { data } = await this.session.client.request('GET /v1/jobs/{jobId}/gaps/', {
      params: this.params,
      query: { offset: Math.max(0, count - MAX_GAPS), limit: MAX_GAPS },
    });
    this.set({ gaps: data.toReversed() });
  }

  private async readRecording(): Promise<void> {
    const recording: Recording | null = await this.session.client
      .request('GET /v1/jobs/{jobId}/recording/', { params: this.params })
      .catch(nullIfMissing);
    if (recording === null || recording.segment_count === 0) return;
    // The service may be known by another address than the one that this page came by.
    const { search } = new URL(recording.playlist);
    this.set({ playlist: `${this.session.address}/api/v1/jobs/${this.jobId}/recording/index.m3u8${search}` });
  }

  private get params(): { jobId: string } {
    return { jobId: this.jobId };
  }

  private set(
    state: Partial<
      Pick<StreamDetail, 'stream' | 'job' | 'picture' | 'results' | 'gaps' | 'playlist' | 'fault' | 'live'>
    >,
  ): void {
    Object.assign(this, state);
    this.changed();
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof AditApiError && error.status === 404) return null;
  throw error;
}
