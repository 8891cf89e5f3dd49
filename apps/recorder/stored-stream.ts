import { AditError, type AudioSpec, type FrameSpec } from '@adit/contracts';
import { LockedJob, sourceError, beginNextPart } from '@adit/jobs';
import type { LeaseSettings } from '@adit/leases';
import type { ObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { backoffDelay, createLogger, pause } from '@adit/runtime';
import { addGap, lockPart, readStream, type ClaimedStream } from '@adit/streams';
import type { DataSource } from 'typeorm';
import type { Archive } from './archive/archive.js';
import type { RecorderConfig } from './config.js';
import { LiveChunks, lossOf } from './live-chunks.js';
import type { SpooledItem } from './live-spool.js';
import { partsBegun, soundLeftOut } from './metrics.js';
import { Parts, startOf } from './parts.js';
import { SoundChunks } from './sound-chunks.js';
import { StreamOver } from './stored-position.js';
import { Succession } from './succession.js';
import { Backlog } from './thinning.js';

const log = createLogger('recorder');

/** Waits before something is stored again. */
const STORE_AGAIN = { baseMs: 200, maxMs: 5_000 };

export interface StorageDependencies {
  db: DataSource;
  outbox: Pick<OutboxRelay, 'transaction'>;
  objects: ObjectStore;
  config: RecorderConfig;
  settings: LeaseSettings;
}

/** What the modules of a job want of its stream. */
interface Specs {
  frames: readonly FrameSpec[];
  sound: readonly AudioSpec[];
  /** Stream time before which no module asks for anything. */
  startUs: number;
}

/** Stores what is read of one stream, in its job and in those that follow it. */
export class StoredStream {
  /** Store what was read in the current job; null until the stream is held. */
  private stores: { chunks: LiveChunks; sounds: SoundChunks } | null = null;
  private succession: Succession | null = null;
  private readonly parts: Parts;

  /** @param takeOver - gets the lease where another recorder still has it, see Recording */
  constructor(
    private readonly deps: StorageDependencies,
    private stream: ClaimedStream,
    private readonly takeOver: ((us: number) => Promise<ClaimedStream>) | null,
    private readonly archive: Archive | null,
  ) {
    this.parts = new Parts(stream.rotateSeconds);
  }

  /** The stream with the job that has it now. */
  get held(): ClaimedStream {
    return this.stream;
  }

  /** What was stored of the current job's part, by this recorder and those before it. */
  get extent(): LiveChunks['extent'] {
    const { frames, lastUs } = this.stream.position;
    return this.stores?.chunks.extent ?? { totalFrames: frames, duration: lastUs / 1e6 };
  }

  /** Stores what was read, in order. An unavailable store is tried again. Throws StreamOver. */
  async storeAll(spool: AsyncIterable<SpooledItem>, specs: Specs, signal: AbortSignal): Promise<void> {
    for await (const item of spool) {
      this.stores ??= await this.open(specs, startOf(item));
      const fitted = this.succession === null ? item : this.succession.fit(item);
      if (fitted === null) continue;
      for (const next of this.parts.inOrder(fitted)) await this.store(next, specs, signal);
    }
    for (const next of this.parts.rest()) await this.store(next, specs, signal);
  }

  /** Opens the stores, before the first item; the lease is taken over for it where another has it. */
  private async open(specs: Specs, us: number) {
    if (this.takeOver !== null) {
      this.stream = await this.takeOver(us);
      this.succession = new Succession(this.stream.position);
      this.archive?.hold(this.stream);
    }
    return this.newStores(specs);
  }

  private newStores({ frames, sound, startUs }: Specs) {
    const { deps, stream } = this;
    const lagChunks = deps.config.streamLagSeconds / deps.config.streamChunkSeconds;
    const backlog = new Backlog(deps.db, stream.jobId, lagChunks);
    const chunks = new LiveChunks({ ...deps, backlog }, stream, frames, this.stores?.chunks.rateDivisor);
    return { chunks, sounds: new SoundChunks(deps, stream, sound, chunks, startUs) };
  }

  private async store(item: SpooledItem, specs: Specs, signal: AbortSignal): Promise<void> {
    const borderUs = this.parts.borderBefore(item);
    if (borderUs !== null && this.stores?.chunks.progress.isOpen === true) {
      const next = await untilAvailable(signal, () => this.goOn(item, borderUs));
      if (next !== null) {
        log.info({ jobId: next.jobId, previousPart: this.stream.jobId }, 'the next part of a live stream begins');
        this.stream = next;
        this.stores = this.newStores(specs);
        this.parts.begin(item);
        this.archive?.goOn(next, this.parts.startUs);
        partsBegun.inc();
      }
    }
    const fitted = this.parts.fit(item);
    const { stores } = this;
    if (fitted === null) return this.leaveOut(item);
    if (stores === null) return;
    await untilAvailable(signal, () => ('sound' in fitted ? stores.sounds.store(fitted) : stores.chunks.store(fitted)));
  }

  /** Counts sound that came too late for its part; the end of that has named it. */
  private leaveOut(item: SpooledItem): void {
    if (!('sound' in item)) return;
    const { startMs, endMs } = item.sound.interval;
    const seconds = (endMs - startMs) / 1000;
    soundLeftOut.inc({ reason: 'late' }, seconds);
    log.warn({ jobId: this.stream.jobId, seconds }, 'sound of a live stream came too late for its part');
  }

  /**
   * Has the next job go on with the stream. Null while another recorder takes it over, which has begun to read this part:
   * that one goes on then. Throws StreamOver, and UNAVAILABLE; safe to repeat.
   */
  private async goOn(item: SpooledItem, borderUs: number): Promise<ClaimedStream | null> {
    const { stream, deps, extent } = this;
    return deps.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, stream.jobId);
      const part = await lockPart(manager, stream);
      if (part === null) throw new StreamOver();
      // Otherwise an attempt whose end was not heard of has done it.
      if (part.jobId === stream.jobId) {
        if (part.isOffered) return null;
        if (!locked?.isActive) throw new StreamOver();
        // The stream ends with this part.
        if (locked.job.timeStopAsked !== null) return null;
        const zeroAt = new Date(item.zeroAt.getTime() + this.parts.startUs / 1000);
        const lost = this.stores?.chunks.gapBefore(borderUs, { zeroAt, reason: item.reason }) ?? null;
        if (lost !== null) {
          await addGap(manager, stream, lost);
          await locked.addErrors([sourceError(stream.shown, lossOf(lost))]);
        }
        if (this.parts.isHeard) {
          const { soundReason } = this.parts;
          const missing = { zeroAt, picturesLost: lost, reason: soundReason };
          await this.stores?.sounds.nameLastGap(manager, locked, borderUs, missing);
        }
        if (!(await beginNextPart(manager, locked, stream, { borderUs, extent }))) throw new StreamOver();
      }
      return readStream(manager, stream, deps.config);
    });
  }
}

/** Does something again until it can be reached. */
async function untilAvailable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let failures = 0; ;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (error instanceof StreamOver || AditError.from(error).code !== 'UNAVAILABLE') throw error;
      await pause(backoffDelay(++failures, STORE_AGAIN), signal);
    }
  }
}
