import { randomUUID } from 'node:crypto';
import {
  AditError,
  frameSpecName,
  type AudioFacts,
  type AudioSpec,
  type FrameSpec,
  type ProcessingRange,
  type VideoFacts,
} from '@adit/contracts';
import { isLive } from '@adit/database';
import { endLiveSource, failSource, LockedJob } from '@adit/jobs';
import {
  decodeLive,
  FilmPlaylistError,
  liveTrack,
  openHead,
  SoundBeside,
  soundFacts,
  type LiveHead,
  type LivePiece,
  type LiveRun,
  type LiveSound,
  type OpenLive,
  type SoundHead,
  type SoundWanted,
} from '@adit/media';
import { backoffDelay, createLogger, pause } from '@adit/runtime';
import { endStream, handOverAsFilm, type ClaimedStream } from '@adit/streams';
import type { DataSource, EntityManager } from 'typeorm';
import { Archive } from './archive/archive.js';
import { LiveSpool } from './live-spool.js';
import { soundSeconds, streamFrames } from './metrics.js';
import { spooledSound, wantedSound } from './sound-chunks.js';
import { StoredStream, type StorageDependencies } from './stored-stream.js';
import { StreamOver } from './stored-position.js';
import { StopAsked, watchStop } from './stop-watch.js';
import { begunAt, StreamClock } from './stream-clock.js';

const log = createLogger('recorder');

/** Waits before a connection is opened again. */
const RECONNECT = { baseMs: 500, maxMs: 30_000 };
/** Bytes that a piece without pictures takes. */
const PIECE_BYTES = 4096;
/** Time with pictures after which a connection counts as good, so that the next break is repaired at once. */
const GOOD_MILLISECONDS = 30_000;
/** Time that sound apart from the pictures may take to show what it is, at the first connection. */
const SOUND_MILLISECONDS = 10_000;
/** Time that the recording may take for its last segments: at the end of the stream, and when another recorder waits. */
const LAST_SEGMENTS_MS = { ended: 10_000, givenBack: 3_000 };
export interface RecordingDependencies extends StorageDependencies {
  workDirectory: string;
  open: OpenLive;
}

/** What a job asks of its stream. */
interface Wanted {
  specs: FrameSpec[];
  /** Specs of sound; empty where nobody listens. */
  sound: AudioSpec[];
  /** Facts from its first connection; null before. */
  facts: VideoFacts | AudioFacts | null;
  range: { startUs: number; endUs: number };
}

/** Reads one stream from its claim to its end, over as many connections as that takes. */
export class Recording {
  private readonly clock: StreamClock;
  private readonly spool: LiveSpool;
  /** Null where the stream is not recorded. */
  private readonly archive: Archive | null = null;
  /** Reason why pictures may be missing before the next piece. */
  private reason: string | null = null;
  /** The same for sound, which is stored apart. */
  private soundReason: string | null = null;
  /** Stream time up to which sound was read. */
  private soundUs: number;
  private readonly stored: StoredStream;

  /**
   * @param stream - a claimed stream, or with `takeOver` one that another recorder still reads
   * @param takeOver - gets the lease once the other has stored all up to a stream time in microseconds; throws StreamOver
   *   when it cannot be had any more
   */
  constructor(
    private readonly deps: RecordingDependencies,
    private readonly claimed: ClaimedStream,
    takeOver: ((us: number) => Promise<ClaimedStream>) | null = null,
  ) {
    const stream = claimed;
    this.clock = new StreamClock(stream.position);
    this.soundUs = stream.position.soundUs;
    this.spool = new LiveSpool(deps.config.streamSpoolBytes, stream.jobId);
    if (stream.position.zeroAt !== null && takeOver === null) {
      this.reason = 'The recorder was replaced.';
      this.soundReason = 'the recorder was replaced.';
    }
    if (stream.recordSeconds !== null) {
      const { streamSpoolBytes: spoolBytes, storageBytes } = deps.config;
      this.archive = new Archive({ ...deps, spoolBytes, storageBytes }, stream, this.clock);
      if (takeOver === null) this.archive.hold(stream);
    }
    this.stored = new StoredStream(deps, stream, takeOver, this.archive);
  }

  /** The stream with the job that has it now. */
  get stream(): ClaimedStream {
    return this.stored.held;
  }

  /**
   * Reads until the stream or its job has ended, and ends the source with it. Throws the signal's reason when the process
   * stops or another recorder has taken over: nothing is ended then.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { deps } = this;
    const wanted = await readWanted(deps.db, this.claimed);
    if (wanted === null) return this.endRow();
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const specs = { frames: wanted.specs, sound: wanted.sound, startUs: wanted.range.startUs };
    const storing = this.stored.storeAll(this.spool, specs, either).catch((error: unknown) => over.abort(error));
    const stop = new AbortController();
    const reading = AbortSignal.any([either, stop.signal]);
    // The job waits for sound that is still to be cut.
    const stopped = (): void => stop.abort(new StopAsked());
    if (wanted.sound.length > 0) void watchStop(deps.db, () => this.stream.jobId, { signal: reading, stopped });
    let fault: AditError | null = null;
    try {
      fault = await this.readAll(wanted, reading);
    } catch (error) {
      const { reason } = reading;
      if (!(reason instanceof StreamOver || reason instanceof StopAsked)) throw error;
    } finally {
      // Whoever watches ends with it.
      stop.abort();
      this.spool.end();
      // While the stream is still held: it lists no segment afterwards.
      await this.archive?.finish(signal.aborted ? LAST_SEGMENTS_MS.givenBack : LAST_SEGMENTS_MS.ended);
      await storing;
    }
    if (over.signal.reason instanceof StreamOver) return this.endRow();
    over.signal.throwIfAborted();
    await deps.outbox.transaction((manager) => this.end(manager, fault));
  }

  /** The job has ended, or its stream: nobody reads it again. Nothing changes when another recorder has it. */
  private async endRow(): Promise<void> {
    await this.deps.outbox.transaction((manager) => endStream(manager, this.stream, 'completed'));
  }

  /** Reads all connections. Returns null at the stream's own end or that of the range, else why nothing was ever read. */
  private async readAll(wanted: Wanted, signal: AbortSignal): Promise<AditError | null> {
    const { config, open } = this.deps;
    const { range } = wanted;
    const address = this.claimed.address();
    let failures = 0;
    let awaySince = Date.now();
    let facts = wanted.facts;
    for (;;) {
      const begun = Date.now();
      // Nothing needs to arrive for the range to end.
      if (begun > this.clock.timeAt(range.endUs) + config.streamIdleSeconds * 1000) return null;
      let problem = new AditError('SOURCE_UNAVAILABLE', 'The stream ended.');
      try {
        const audioTrack = wanted.sound[0]?.track;
        const options = { ...config, idleTimeoutSeconds: config.streamIdleSeconds, signal, audioTrack };
        for await (const run of open(address, options)) {
          this.reason = run.gap ?? this.reason;
          const soundAlone = wanted.sound.length > 0 && facts?.kind !== 'video';
          const head = await openHead(run, { directory: this.deps.workDirectory, signal, soundAlone });
          const recorded = this.archive?.soundOf(head, run) ?? null;
          const sound = this.soundOf(head, recorded === null ? run : { ...run, sound: recorded.open }, wanted, signal);
          const own = await ownFacts(head, sound, facts === null);
          const shown = facts ?? own;
          const tap = await this.archive?.begin(head, run, recorded);
          if (!(sound?.stream instanceof SoundBeside)) recorded?.read(signal);
          const pieces = decodeLive({
            head,
            container: run.container,
            isSegmented: run.isSegmented,
            ...(shown.kind === 'video' && { shown }),
            specs: wanted.specs,
            ...(sound !== null && { sound }),
            tap,
            onPlaced: (runUs, us) => this.archive?.see(runUs, us),
            pieceSeconds: config.streamChunkSeconds,
            place: this.placing(run.statedTime),
            directory: this.deps.workDirectory,
            idleSeconds: config.streamIdleSeconds,
            signal,
          });
          for await (const piece of pieces) {
            facts ??= begunAt(own, this.clock.zeroAt);
            awaySince = Date.now();
            if (awaySince - begun > GOOD_MILLISECONDS) failures = 0;
            if (piece.interval.ptsStart >= range.endUs) return null;
            this.take(piece, facts, range.startUs);
          }
          this.archive?.endRun();
        }
        // A playlist says that it ends; elsewhere the end of a connection proves nothing.
        if (/^https?:/i.test(address)) return facts === null ? problem : null;
      } catch (error) {
        signal.throwIfAborted();
        problem = AditError.from(error);
        // It has ended while nobody read it.
        if (error instanceof FilmPlaylistError && this.clock.zeroAt !== null) return null;
        // Faults of ours are not the stream's.
        if (problem.code === 'UNAVAILABLE' || problem.code === 'INTERNAL') throw error;
        log.info({ jobId: this.stream.jobId, err: problem }, 'a live stream broke off');
      }
      this.archive?.endRun();
      this.reason ??= problem.message;
      const isFinal = problem.code !== 'SOURCE_UNAVAILABLE' && problem.status < 500;
      const isNew = this.clock.zeroAt === null;
      if (isNew && isFinal) return problem;
      const patience = isNew ? config.streamConnectSeconds : config.streamWaitSeconds;
      if (Date.now() - awaySince > patience * 1000) return facts === null ? problem : null;
      await pause(backoffDelay(++failures, RECONNECT), signal);
    }
  }

  /** Returns the sound of a run that the job wants; null where it wants none, or the run has none. */
  private soundOf(
    head: LiveHead | SoundHead,
    { sound: open, statedTime, clockOffset = 0 }: LiveRun,
    { sound: [spec], range }: Wanted,
    signal: AbortSignal,
  ): SoundWanted | null {
    if (spec === undefined) return null;
    const pictures = { start: head.start, statedTime, clockOffset };
    const isApart = open !== undefined && head.kind === 'pictures';
    const apart = isApart ? new SoundBeside({ open, pictures, signal, directory: this.deps.workDirectory }) : null;
    const stream = liveTrack(head.sounds, spec.track) ?? apart;
    if (stream === null) return null;
    const borderSeconds = this.claimed.rotateSeconds ?? undefined;
    return { stream, fromUs: this.soundUs, borderSeconds, onSound: (sound) => this.takeSound(sound, range) };
  }

  private takeSound(sound: LiveSound, range: Wanted['range']): void {
    const { startMs, endMs } = sound.interval;
    this.soundUs = endMs * 1000;
    soundSeconds.inc((endMs - startMs) / 1000);
    const { zeroAt } = this.clock;
    const reason = this.soundReason ?? sound.missing ?? null;
    const spooled = zeroAt && spooledSound(sound, range, { zeroAt, reason });
    if (spooled === null) return;
    this.soundReason = null;
    this.spool.push(spooled, sound.samples.byteLength + PIECE_BYTES);
  }

  /** Places the first picture of a run by its stated time; later ones only come here behind a jump of its clock. */
  private placing(statedTime: number | null) {
    let stated = statedTime;
    return (arrived: number) => {
      const place = this.clock.place(arrived, stated);
      stated = null;
      return place;
    };
  }

  private take(piece: LivePiece, facts: VideoFacts | AudioFacts, startUs: number): void {
    const { interval } = piece;
    const { zeroAt } = this.clock;
    this.clock.advance(interval);
    streamFrames.inc(interval.frameEnd - interval.frameStart);
    if (interval.ptsEnd <= startUs || zeroAt === null) return;
    const bytes = [...new Set(piece.pictures.values())]
      .flatMap(({ jpegs }) => jpegs)
      .reduce((sum, jpeg) => sum + jpeg.length, 0);
    this.spool.push({ id: randomUUID(), piece, facts, zeroAt, reason: this.reason }, bytes + PIECE_BYTES);
    this.reason = null;
  }

  private async end(manager: EntityManager, fault: AditError | null): Promise<void> {
    const { jobId, sourceIndex } = this.stream;
    const locked = await LockedJob.take(manager, jobId);
    if (fault instanceof FilmPlaylistError) {
      // From here on it is a film.
      if (await handOverAsFilm(manager, this.stream)) await locked?.setMediaType('video');
      return;
    }
    if (!(await endStream(manager, this.stream, fault === null ? 'completed' : 'failed'))) return;
    if (!locked?.isActive) return;
    // A part that went on with a stream may have none of its own.
    const reason = fault?.message ?? (locked.job.state === 'waiting' ? 'The stream ended before a picture.' : null);
    if (reason !== null) await failStream(manager, locked, sourceIndex, reason);
    else await endLiveSource(manager, locked, sourceIndex, this.stored.extent);
  }
}

/** Fails a stream of which nothing was read; a job that has not begun could not end. */
export async function failStream(
  manager: EntityManager,
  locked: LockedJob,
  sourceIndex: number,
  reason: string,
): Promise<void> {
  await locked.apply({ kind: 'opened' });
  await failSource(manager, locked, sourceIndex, reason);
}

interface WantedRow {
  facts: Wanted['facts'];
  frames: FrameSpec[];
  ranges: (ProcessingRange | null)[];
}

/** Reads what the job asks of the stream; null when it has ended, or is about to. */
async function readWanted(db: DataSource, { jobId, sourceIndex }: ClaimedStream): Promise<Wanted | null> {
  const [row]: WantedRow[] = await db.query(
    `SELECT s.facts,
            (SELECT coalesce(jsonb_agg(spec), '[]')
               FROM job_analyses a CROSS JOIN LATERAL jsonb_array_elements(a.frames) spec WHERE a.job_id = j.id) AS frames,
            (SELECT coalesce(jsonb_agg(m.range), '[]') FROM job_modules m WHERE m.job_id = j.id) AS ranges
       FROM jobs j JOIN job_sources s ON s.job_id = j.id AND s.index = $2
      WHERE j.id = $1 AND ${isLive('j')} AND j.time_stop_asked IS NULL AND s.state IN ('waiting', 'requested')`,
    [jobId, sourceIndex],
  );
  if (row === undefined) return null;
  const specs = [...new Map(row.frames.map((spec) => [frameSpecName(spec), spec])).values()];
  return { specs, sound: await wantedSound(db, jobId), facts: row.facts, range: rangeOf(row.ranges) };
}

/** Stream time that any module asks for. */
function rangeOf(ranges: WantedRow['ranges']): Wanted['range'] {
  const starts = ranges.map((range) => (range !== null && 'time_start' in range ? (range.time_start ?? 0) : 0));
  const ends = ranges.map((range) => (range !== null && 'time_end' in range ? (range.time_end ?? Infinity) : Infinity));
  return { startUs: Math.min(...starts) * 1e6, endUs: Math.max(...ends) * 1e6 };
}

/**
 * Facts of a run for its job. At the first connection they wait for sound that comes apart from the pictures. Throws
 * MEDIA_INVALID for a run that has sound alone, which cannot be heard.
 */
async function ownFacts(
  head: LiveHead | SoundHead,
  sound: SoundWanted | null,
  isFirst: boolean,
): Promise<VideoFacts | AudioFacts> {
  if (head.kind === 'pictures') {
    let audioStreams = sound === null ? [] : head.facts.audioStreams;
    if (sound?.stream instanceof SoundBeside && isFirst) {
      const stream = await sound.stream.known(SOUND_MILLISECONDS);
      audioStreams = stream === null ? [] : [soundFacts(stream)];
    }
    return { ...head.facts, audioStreams, startTimecode: null };
  }
  if (sound === null)
    throw new AditError('MEDIA_INVALID', 'The stream has no pictures, and no sound that is asked for.');
  return head.facts;
}
