import { AditError, nullIfGone } from '@adit/contracts';
import { packsPrefix } from '@adit/jobs';
import { LIVE_SOUND_RATE, openAudioPackBuffer, packAudio, type LiveSound } from '@adit/media';
import type { ObjectStore } from '@adit/objects';
import type { ClaimedStream } from '@adit/streams';

/** Seconds of sound by which the language of a stream is told, the first time and for good. */
const STAGES = [32, 64] as const;
/** Root mean square of sound below which it tells nothing: -55 dB. */
const QUIET = 10 ** (-55 / 20);

/**
 * The first sound of a stream that is not silent, which stands for the excerpts of a film: by it the language of the
 * stream is told. It is stored beside the packs once, so that another recorder goes on with it.
 */
export class FirstSound {
  private samples: Float32Array = new Float32Array(0);
  private stage = 0;
  private isRead = false;
  /** The part that was added last: one that could not be stored comes again. */
  private last: LiveSound | null = null;

  constructor(
    private readonly objects: Pick<ObjectStore, 'put' | 'read'>,
    private readonly stream: Pick<ClaimedStream, 'jobId' | 'sourceIndex'>,
  ) {}

  /** Adds a part; returns the key of the pack, or null as long as there is too little. Throws UNAVAILABLE. */
  async add(sound: LiveSound): Promise<string | null> {
    if (!this.isRead) await this.readStored();
    const next = STAGES[this.stage];
    if (next !== undefined && sound !== this.last) {
      const own = ownSamples(sound);
      const level = Math.sqrt(own.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(own.length, 1));
      if (level >= QUIET) await this.collect(own, next);
      this.last = sound;
    }
    return this.stage === 0 ? null : this.keyOf(this.stage);
  }

  private async collect(own: Float32Array, seconds: number): Promise<void> {
    const all = new Float32Array(this.samples.length + own.length);
    all.set(this.samples);
    all.set(own, this.samples.length);
    const count = seconds * LIVE_SOUND_RATE;
    if (all.length >= count) {
      await this.objects.put(this.keyOf(this.stage + 1), packOf(all.subarray(0, count)));
      this.stage++;
    }
    // The last stage needs no more.
    this.samples = STAGES[this.stage] === undefined ? new Float32Array(0) : all;
  }

  /** Finds what a recorder before has stored. */
  private async readStored(): Promise<void> {
    for (let stage: number = STAGES.length; stage > 0 && this.stage === 0; stage--) {
      const stored = await this.objects.read(this.keyOf(stage)).catch(nullIfGone);
      if (stored === null) continue;
      this.stage = stage;
      if (STAGES[stage] === undefined) continue;
      const pack = await openAudioPackBuffer(stored);
      this.samples = await pack.samples(pack.start, pack.end);
    }
    this.isRead = true;
  }

  private keyOf(stage: number): string {
    const seconds = STAGES[stage - 1];
    if (seconds === undefined) throw new AditError('INTERNAL', `The sound of a stream has no stage ${stage}.`);
    return `${packsPrefix(this.stream.jobId)}stream-${this.stream.sourceIndex}/first-${seconds}`;
  }
}

/** Returns the samples of a part, without those around it. */
function ownSamples({ interval, start, samples }: LiveSound): Float32Array {
  const at = (ms: number): number => (ms * LIVE_SOUND_RATE) / 1000 - start;
  return samples.subarray(at(interval.startMs), at(interval.endMs));
}

/** Excerpts are counted from 0. */
export function packOf(samples: Float32Array): Buffer {
  const end = samples.length;
  const place = { sampleRate: LIVE_SOUND_RATE, channels: 1, start: 0, end, ownStart: 0, ownEnd: end };
  return packAudio(place, littleEndian(samples));
}

/** Samples as packs have them. */
export function littleEndian(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [i, sample] of samples.entries()) bytes.writeFloatLE(sample, i * Float32Array.BYTES_PER_ELEMENT);
  return bytes;
}
