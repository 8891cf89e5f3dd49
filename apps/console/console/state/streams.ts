import type { Job, LiveStream, Module, RequestedModules } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { OneAtATime } from '../../shared/one-at-a-time.js';
import { rateBetween, type Look } from '../model/streams.js';
import { followEvents, type Live } from './follow-events.js';
import type { Session } from './session.js';

/** How late a stream is is in no event: it is read again so often. */
const POLL_MS = 3_000;
/** Far more than one workspace has running. */
const MAX_ACTIVE = 200;
const MAX_ENDED = 50;

export interface NewStream {
  address: string;
  modules: readonly string[];
  record: boolean;
  tag: string;
}

/** The live streams of the workspace: those that run, and the newest of those that have ended. */
export class Streams extends Observable {
  active: LiveStream[] | null = null;
  ended: LiveStream[] = [];
  fault: unknown = null;
  live: Live = 'connecting';
  /** Pictures a second since the last look, by job. */
  rates = new Map<string, number>();
  private looks = new Map<string, Look>();
  private readonly reads = new OneAtATime(() => this.readAll());

  constructor(readonly session: Session) {
    super();
  }

  /** Follows the workspace until the signal. */
  follow(signal: AbortSignal): void {
    const read = (): void => void this.read();
    read();
    const timer = setInterval(() => document.hidden || this.reads.isRunning || read(), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    void followEvents(this.session, signal, {
      onEvent: ({ event }) => void ((event.startsWith('svc.job.') || event.startsWith('svc.stream.')) && read()),
      onLive: (live) => {
        this.live = live;
        this.changed();
      },
      onMissed: () => this.read(),
    });
  }

  /** What happens while they are read is read after them. */
  read(): Promise<void> {
    return this.reads.run();
  }

  private async readAll(): Promise<void> {
    const { client } = this.session;
    try {
      const [active, ended] = await Promise.all([
        client.request('GET /v1/streams/', { query: { active: true, limit: MAX_ACTIVE } }),
        client.request('GET /v1/streams/', { query: { active: false, limit: MAX_ENDED } }),
      ]);
      // Earlier parts of a stream that still runs are reached from it.
      const last = ended.data.filter(({ next_part: next }) => next === null);
      Object.assign(this, { active: active.data, ended: last, fault: null });
      this.noteRates(active.data);
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  /** Modules that a stream can be asked of. */
  async modules(): Promise<Module[]> {
    const all = await this.session.client.request('GET /v1/modules/');
    return all.filter(({ media }) => media.includes('videostream') || media.includes('video'));
  }

  /** Throws AditApiError with what is wrong with which field. */
  async start({ address, modules, record, tag }: NewStream): Promise<Job> {
    const asked: RequestedModules = Object.fromEntries(modules.map((id) => [id, {}]));
    const job = await this.session.client.request('POST /v1/jobs/', {
      // An address of the web is a stream here, whatever it ends in.
      body: { sources: [address], media_type: 'videostream', modules: asked, record, tag },
    });
    void this.read();
    return job;
  }

  private noteRates(streams: readonly LiveStream[]): void {
    const rates = new Map<string, number>();
    for (const { job_id: id, position, frames } of streams) {
      const now = { position, frames };
      const before = this.looks.get(id);
      const rate = rateBetween(before, now) ?? this.rates.get(id);
      if (rate !== undefined) rates.set(id, rate);
      if (before?.position !== position) this.looks.set(id, now);
    }
    this.rates = rates;
  }
}
