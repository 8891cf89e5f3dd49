import { randomUUID } from 'node:crypto';
import { AditError, audioSpecName, type AudioSpec } from '@adit/contracts';
import { isActive } from '@adit/database';
import { appendLiveChunk, chunkPacksPrefix, LockedJob, packKey, sourceError } from '@adit/jobs';
import { dispatchSeconds, type LeaseSettings } from '@adit/leases';
import { LEAD_SECONDS, LIVE_SOUND_RATE, packAudio, type LiveSound } from '@adit/media';
import type { ObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { addGap, type NewGap, writeSoundPosition, type ClaimedStream } from '@adit/streams';
import type { DataSource, EntityManager } from 'typeorm';
import { FirstSound, littleEndian, packOf } from './first-sound.js';
import type { LiveChunks } from './live-chunks.js';
import { soundDelay, soundLeftOut } from './metrics.js';
import { isStored, StreamOver } from './stored-position.js';
import { ANALYSED_PARTS } from './thinning.js';

/** Sound on its way to the store. */
export interface SpooledSound {
  /** Id of its chunk, the same however often it is stored. */
  id: string;
  sound: LiveSound;
  /** Wall clock of stream time 0. */
  zeroAt: Date;
  /** Reason why sound may be missing before it; null where none is known. */
  reason: string | null;
}

/** Time without sound, in microseconds, that is no gap: a microphone may send nothing while nobody speaks. */
const UNNOTICED_US = 2_000_000;
const BEHIND = 'its analysis is slower than the stream.';
const ABSENT = 'none arrived.';

type Gap = Pick<NewGap, 'fromUs' | 'toUs'>;

interface SoundDependencies {
  db: DataSource;
  outbox: Pick<OutboxRelay, 'transaction'>;
  objects: ObjectStore;
  settings: Pick<LeaseSettings, 'leaseSeconds'>;
  config: { streamLagSeconds: number };
}

/** Reads what the analyses of a job want of its sound; empty where they want none. */
export async function wantedSound(db: Pick<DataSource, 'query'>, jobId: string): Promise<AudioSpec[]> {
  const [row]: { specs: AudioSpec[] }[] = await db.query(
    `SELECT coalesce(jsonb_agg(spec), '[]') AS specs
       FROM job_analyses a CROSS JOIN LATERAL jsonb_array_elements(a.audio) spec
      WHERE a.job_id = $1 AND jsonb_typeof(a.audio) = 'array'`,
    [jobId],
  );
  const specs = [...new Map((row?.specs ?? []).map((spec) => [audioSpecName(spec), spec])).values()];
  const [first] = specs;
  for (const { sampleRate, channels, track } of specs) {
    if (sampleRate === LIVE_SOUND_RATE && channels === 1 && track === first?.track) continue;
    throw new AditError('INTERNAL', 'The sound of a live stream is decoded in one way; its job wants several.');
  }
  return specs;
}

/** Stores the sound of one stream as chunks of its job, among those of its pictures: both share one row of positions. */
export class SoundChunks {
  /** Reason of a gap that the next stored chunk ends. */
  private reason: string | null = null;
  private storedUs: number;
  /** False once every module that hears it has failed. */
  private isWanted = true;
  private readonly first: FirstSound;
  private readonly backlog: SoundBacklog;

  constructor(
    private readonly deps: SoundDependencies,
    private readonly stream: ClaimedStream,
    private readonly specs: readonly AudioSpec[],
    private readonly pictures: Pick<LiveChunks, 'progress'>,
    /** Stream time before which no module asks for sound. */
    startUs: number,
  ) {
    this.storedUs = Math.max(stream.position.soundUs, startUs);
    this.first = new FirstSound(deps.objects, stream);
    this.backlog = new SoundBacklog(deps.db, stream.jobId);
  }

  /**
   * Stores a part and requests its analyses. When these are too far behind, or nobody wants it any more, it is left
   * out. Throws StreamOver, and UNAVAILABLE when the part may be stored later.
   */
  async store(spooled: SpooledSound): Promise<void> {
    const { deps, stream, pictures } = this;
    this.reason ??= spooled.reason;
    // Without a picture there is no job yet that could take it.
    if (!pictures.progress.isOpen) return;
    const { waitingMs, isWanted } = await this.backlog.read();
    this.isWanted = isWanted;
    if (!isWanted) return;
    const { startMs, endMs } = spooled.sound.interval;
    if (waitingMs > deps.config.streamLagSeconds * 2000) {
      this.reason = BEHIND;
      soundLeftOut.inc({ reason: 'analysis' }, (endMs - startMs) / 1000);
      return;
    }
    const { id } = spooled;
    const packs = await this.writePacks(id, spooled.sound);
    const removePacks = () => deps.objects.deletePrefix(chunkPacksPrefix(stream.jobId, id)).catch(() => undefined);
    try {
      if (!(await deps.outbox.transaction((manager) => this.append(manager, packs, spooled)))) await removePacks();
    } catch (error) {
      // What could not be reached may have been committed: its packs are read then, and written again otherwise.
      if (AditError.from(error).code !== 'UNAVAILABLE') await removePacks();
      throw error;
    }
    this.storedUs = endMs * 1000;
    pictures.progress.next++;
    this.reason = null;
    soundDelay.observe((Date.now() - spooled.sound.arrived) / 1000);
  }

  /** Returns whether any module wants it. */
  private async append(
    manager: EntityManager,
    packs: Record<string, string>,
    { id, sound: { interval }, zeroAt }: SpooledSound,
  ): Promise<boolean> {
    const { stream, deps } = this;
    const { jobId, sourceIndex } = stream;
    const position = this.pictures.progress.next;
    if (await isStored(manager, stream, position)) return true;
    const lost = this.gapBefore(interval.startMs * 1000, zeroAt);
    if (lost !== null) {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) throw new StreamOver();
      await this.name(manager, locked, lost);
    }
    const appended = await appendLiveChunk(manager, jobId, {
      id,
      sourceIndex,
      position,
      extent: { kind: 'audio', interval },
      packs,
      leaseSeconds: dispatchSeconds(deps.settings),
    });
    const further = { soundUs: interval.endMs * 1000, nextPosition: position + 1 };
    if (appended === null || !(await writeSoundPosition(manager, stream, further))) throw new StreamOver();
    return appended.isWanted;
  }

  /**
   * Names the sound that is missing before the border at which the part ends, in the transaction that ends it. The caller
   * has locked the job.
   *
   * @param picturesLost - the gap of its pictures before the border
   * @param reason - why sound is missing before the first behind the border, where that is known
   */
  async nameLastGap(
    manager: EntityManager,
    locked: LockedJob,
    borderUs: number,
    { zeroAt, picturesLost, reason }: { zeroAt: Date; picturesLost: Gap | null; reason: string | null },
  ): Promise<void> {
    // What nobody wants is not missing.
    if (!this.isWanted) return;
    this.reason ??= reason;
    const lost = this.gapBefore(borderUs, zeroAt, picturesLost ?? this.pictures.progress.lastGap);
    if (lost !== null) await this.name(manager, locked, lost);
  }

  /** Adds a gap, and an error of the job that tells it. */
  private async name(manager: EntityManager, locked: LockedJob, lost: NewGap & { cause: string }): Promise<void> {
    const { cause, ...gap } = lost;
    const { shown } = this.stream;
    if (!(await addGap(manager, this.stream, gap))) throw new StreamOver();
    const [from, to] = [gap.fromUs, gap.toUs].map((us) => `${(us / 1e6).toFixed(1)} s`);
    await locked.addErrors([sourceError(shown, `no sound of ${from} to ${to} was analysed: ${cause}`)]);
  }

  /** The sound that is missing before a time; null where none is, or the pictures are missing, too. */
  private gapBefore(startUs: number, zeroAt: Date, lastGap: Gap | null = this.pictures.progress.lastGap) {
    const fromUs = this.storedUs;
    const shared = lastGap === null ? 0 : Math.min(lastGap.toUs, startUs) - Math.max(lastGap.fromUs, fromUs);
    if (startUs - fromUs - Math.max(shared, 0) <= UNNOTICED_US) return null;
    const cause = this.reason ?? ABSENT;
    const timeAt = (us: number): Date => new Date(zeroAt.getTime() + us / 1000);
    const times = { fromUs, toUs: startUs, timeFrom: timeAt(fromUs), timeTo: timeAt(startUs) };
    return { ...times, cause, reason: `The sound is missing: ${cause}` };
  }

  private async writePacks(chunkId: string, sound: LiveSound): Promise<Record<string, string>> {
    const { jobId, sourceIndex } = this.stream;
    const { objects } = this.deps;
    const excerpts = await this.first.add(sound);
    const keys: Record<string, string> = {};
    const written = new Map<string, string>();
    for (const spec of this.specs) {
      const name = audioSpecName(spec);
      if (spec.excerpts !== undefined && excerpts !== null) {
        keys[name] = excerpts;
        continue;
      }
      const lead = spec.excerpts === undefined ? Math.min(spec.overlapSeconds, LEAD_SECONDS) : null;
      const shared = String(lead);
      let key = written.get(shared);
      if (key === undefined) {
        key = packKey(jobId, chunkId, sourceIndex, name);
        // A lost pack is a gap.
        const pack = lead === null ? packOf(new Float32Array(0)) : soundPack(sound, lead);
        await objects.put(key, pack, { durable: false });
        written.set(shared, key);
      }
      keys[name] = key;
    }
    return keys;
  }
}

/**
 * Packs a part as a window of its own, with so many seconds before it. Where there are fewer, at the start of a stream
 * and behind a gap, silence stands before it, which detectors settle on and nobody is heard in.
 */
export function soundPack({ interval, start, samples }: LiveSound, leadSeconds: number): Buffer {
  const at = (ms: number): number => (ms * LIVE_SOUND_RATE) / 1000;
  const [ownStart, ownEnd] = [at(interval.startMs), at(interval.endMs)];
  const from = Math.max(ownStart - leadSeconds * LIVE_SOUND_RATE, 0);
  const end = start + samples.length;
  const all = new Float32Array(end - from);
  all.set(samples.subarray(Math.max(from - start, 0)), Math.max(start - from, 0));
  const place = { sampleRate: LIVE_SOUND_RATE, channels: 1, start: from, end, ownStart, ownEnd, window: true as const };
  return packAudio(place, littleEndian(all));
}

/** Sound of a stream whose analysis has not ended, over its parts. */
class SoundBacklog {
  private readAt = -Infinity;
  private last = { waitingMs: 0, isWanted: true };

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly jobId: string,
  ) {}

  /** Milliseconds of sound that wait, and whether a running module hears the stream. Read at most once a second. */
  async read(): Promise<{ waitingMs: number; isWanted: boolean }> {
    if (performance.now() - this.readAt < 1000) return this.last;
    const [row]: { waiting: number; wanted: boolean }[] = await this.db.query(BACKLOG, [this.jobId]);
    this.readAt = performance.now();
    this.last = { waitingMs: row?.waiting ?? 0, isWanted: row?.wanted ?? false };
    return this.last;
  }
}

const BACKLOG = `${ANALYSED_PARTS}
  SELECT (SELECT coalesce(sum((c.interval ->> 'endMs')::float8 - (c.interval ->> 'startMs')::float8), 0)
            FROM parts p JOIN chunks c ON c.job_id = p.id WHERE c.state = 'decoded' AND c.interval ->> 'kind' = 'audio') AS waiting,
         EXISTS (SELECT 1 FROM job_modules m JOIN job_analyses a ON a.job_id = m.job_id
                  WHERE m.job_id = $1 AND ${isActive('m')} AND jsonb_typeof(a.audio) = 'array'
                    AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))) AS wanted`;

/** Cuts a part to the times that modules ask for; null where nothing of it is left. */
export function spooledSound(
  sound: LiveSound,
  { startUs, endUs }: { startUs: number; endUs: number },
  rest: Pick<SpooledSound, 'zeroAt' | 'reason'>,
): SpooledSound | null {
  const startMs = Math.max(sound.interval.startMs, Math.ceil(startUs / 1000));
  const endMs = Math.min(sound.interval.endMs, Math.floor(endUs / 1000));
  return endMs > startMs ? { id: randomUUID(), sound: { ...sound, interval: { startMs, endMs } }, ...rest } : null;
}
