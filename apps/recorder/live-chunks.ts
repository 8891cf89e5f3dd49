import { AditError, frameSpecName, type AudioFacts, type FrameSpec, type VideoFacts } from '@adit/contracts';
import { appendLiveChunk, chunkPacksPrefix, LockedJob, openLiveSource, packKey, sourceError } from '@adit/jobs';
import { dispatchSeconds, type LeaseSettings } from '@adit/leases';
import { packFrames, type LivePiece, type SampledPictures } from '@adit/media';
import type { ObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { sha256Of } from '@adit/runtime';
import { addGap, writePosition, type ClaimedStream } from '@adit/streams';
import type { DataSource, EntityManager } from 'typeorm';
import { chunkDelay, leftOut } from './metrics.js';
import { isStored, StreamOver } from './stored-position.js';
import { rateDivisor, thinned, type Backlog } from './thinning.js';

/** A decoded piece on its way to the store. */
export interface SpooledPiece {
  /** Id of its chunk, the same however often it is stored. */
  id: string;
  piece: LivePiece;
  /** Facts of the stream, as its first connection had them. */
  facts: VideoFacts | AudioFacts;
  /** Wall clock of stream time 0. */
  zeroAt: Date;
  /** Reason why pictures may be missing before it; null where none is known. */
  reason: string | null;
}

/** Time without pictures, in microseconds, that is no gap: the distance of frames varies. */
const UNNOTICED_US = 200_000;
const BEHIND = 'The analysis is slower than the stream.';

interface StoreDependencies {
  db: DataSource;
  outbox: Pick<OutboxRelay, 'transaction'>;
  objects: ObjectStore;
  settings: Pick<LeaseSettings, 'leaseSeconds'>;
  backlog: Backlog;
}

/** Stores the pieces of one stream as chunks of its job, with the gaps between them. */
export class LiveChunks {
  /** What was stored so far; sound shares the next position. */
  readonly progress: {
    frames: number;
    lastUs: number;
    next: number;
    isOpen: boolean;
    lastGap: { fromUs: number; toUs: number } | null;
  };
  /** Reason of a gap that the next stored chunk ends. */
  private reason: string | null = null;
  /** Divisor of the sampling rate that the errors of the job name last. */
  private named = 1;
  /** False once every module that takes pictures has failed: none begins again while the stream is read. */
  private isWanted = true;

  constructor(
    private readonly deps: StoreDependencies,
    private readonly stream: ClaimedStream,
    private readonly specs: readonly FrameSpec[],
    /** Divisor of the sampling rate, at first that of the part before. */
    private divisor = 1,
  ) {
    const { frames, lastUs, nextPosition } = stream.position;
    this.progress = { frames, lastUs, next: nextPosition, isOpen: nextPosition > 0, lastGap: null };
  }

  /** What was stored so far, for the facts of the ended stream. */
  get extent(): { totalFrames: number; duration: number } {
    return { totalFrames: this.progress.frames, duration: this.progress.lastUs / 1e6 };
  }

  /** Divisor of the sampling rate by now. */
  get rateDivisor(): number {
    return this.divisor;
  }

  /** False before the first picture of a stream; a part that goes on with one begins at its border. */
  private get hasBegun(): boolean {
    return this.progress.isOpen || this.stream.position.zeroAt !== null;
  }

  /**
   * Stores a piece and requests its analyses. When those are behind, fewer of its pictures, or none: the gap is noted with
   * the next one. Throws StreamOver, and UNAVAILABLE when the piece may be stored later.
   */
  async store(spooled: SpooledPiece): Promise<void> {
    this.reason ??= spooled.reason;
    const { deps, stream } = this;
    const state = await deps.backlog.state();
    if (state === 'full') {
      this.reason = BEHIND;
      leftOut.inc({ reason: 'analysis' });
      return;
    }
    const divisor = rateDivisor(this.divisor, state);
    const { id } = spooled;
    const packs = this.isWanted ? await this.writePacks(id, spooled.piece.pictures, divisor) : {};
    const removePacks = () => deps.objects.deletePrefix(chunkPacksPrefix(stream.jobId, id)).catch(() => undefined);
    try {
      const isWanted = await deps.outbox.transaction((manager) =>
        this.append(manager, { id, packs, divisor }, spooled),
      );
      if (this.isWanted && !isWanted) await removePacks();
      this.isWanted = isWanted;
    } catch (error) {
      // What could not be reached may have been committed: its packs are read then, and written again otherwise.
      if (AditError.from(error).code !== 'UNAVAILABLE') await removePacks();
      throw error;
    }
    const { interval, arrived } = spooled.piece;
    this.progress.frames = interval.frameEnd;
    this.progress.lastUs = interval.ptsEnd;
    this.progress.next++;
    this.progress.isOpen = true;
    this.reason = null;
    this.divisor = this.named = divisor;
    chunkDelay.observe((Date.now() - arrived) / 1000);
  }

  /** Returns whether any module wants it. */
  private async append(
    manager: EntityManager,
    { id, packs, divisor }: { id: string; packs: Record<string, string>; divisor: number },
    { piece: { interval }, facts, zeroAt }: SpooledPiece,
  ): Promise<boolean> {
    const { stream, progress } = this;
    const { jobId, sourceIndex } = stream;
    if (await isStored(manager, stream, progress.next)) return true;
    const lost = this.gapBefore(interval.ptsStart, { zeroAt });
    if (!progress.isOpen || lost !== null || divisor !== this.named) {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) throw new StreamOver();
      if (!progress.isOpen) {
        await openLiveSource(manager, locked, sourceIndex, { digest: streamDigest(stream), facts });
      }
      if (lost !== null) {
        if (!(await addGap(manager, stream, lost))) throw new StreamOver();
        progress.lastGap = lost;
        await locked.addErrors([sourceError(stream.shown, lossOf(lost))]);
      }
      if (divisor !== this.named) {
        await locked.addErrors([sourceError(stream.shown, rateNote(divisor, interval.ptsStart))]);
      }
    }
    const appended = await appendLiveChunk(manager, jobId, {
      id,
      sourceIndex,
      position: progress.next,
      extent: { kind: 'video', interval },
      packs,
      leaseSeconds: dispatchSeconds(this.deps.settings),
    });
    const further = {
      zeroAt,
      frames: interval.frameEnd,
      lastUs: interval.ptsEnd,
      nextPosition: progress.next + 1,
    };
    if (appended === null || !(await writePosition(manager, stream, further))) throw new StreamOver();
    return appended.isWanted;
  }

  /**
   * Returns the gap between what was stored and a time; null where there is none.
   *
   * @param known - wall clock of stream time 0, and a reason for it
   */
  gapBefore(startUs: number, known: Pick<SpooledPiece, 'zeroAt'> & Partial<Pick<SpooledPiece, 'reason'>>) {
    const { lastUs } = this.progress;
    if (!this.hasBegun || startUs - lastUs <= UNNOTICED_US) return null;
    const timeAt = (us: number): Date => new Date(known.zeroAt.getTime() + us / 1000);
    const reason = this.reason ?? known.reason ?? 'No picture arrived.';
    return { fromUs: lastUs, toUs: startUs, timeFrom: timeAt(lastUs), timeTo: timeAt(startUs), reason };
  }

  private async writePacks(
    chunkId: string,
    pictures: ReadonlyMap<string, SampledPictures>,
    divisor: number,
  ): Promise<Record<string, string>> {
    const { jobId, sourceIndex } = this.stream;
    const keys: Record<string, string> = {};
    const written = new Map<SampledPictures, string>();
    for (const spec of this.specs) {
      const name = frameSpecName(spec);
      const found = pictures.get(name);
      if (found === undefined) throw new AditError('INTERNAL', `A piece has no pictures of ${name}.`);
      // Specs with the same pictures have one pack, unless fewer are analysed: rates differ.
      let key = divisor === 1 ? written.get(found) : undefined;
      if (key === undefined) {
        key = packKey(jobId, chunkId, sourceIndex, name);
        const { frames, jpegs } = thinned(found, spec.rate, divisor);
        // A lost pack is a gap.
        await this.deps.objects.put(key, packFrames(frames, jpegs), { durable: false });
        written.set(found, key);
      }
      keys[name] = key;
    }
    return keys;
  }
}

/** Digest that stands for the media of a stream: no other job has the same pictures. */
function streamDigest({ jobId }: ClaimedStream): string {
  return sha256Of(Buffer.from(`stream of ${jobId}`));
}

/** Text of a gap for the errors of the job. */
export function lossOf({ fromUs, toUs, reason }: { fromUs: number; toUs: number; reason: string }): string {
  return `nothing of ${seconds(fromUs)} to ${seconds(toUs)} was analysed: ${reason}`;
}

function rateNote(divisor: number, us: number): string {
  return divisor === 1
    ? `from ${seconds(us)} on all pictures are analysed again`
    : `from ${seconds(us)} on one picture of ${divisor} is analysed: ${BEHIND}`;
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(1)} s`;
}
