import { dirname, join } from 'node:path';
import type { AudioSpec, MediaFacts } from '@adit/contracts';
import { AUDIO_MEMORY, decodeAudio, storedAudio, type DecodedAudio } from '@adit/media';
import { Inject, Injectable } from '@nestjs/common';
import { DECODER_CONFIG, type DecoderConfig } from './config.js';
import { MemoryAdmission } from './memory-admission.js';
import { unlessAborted } from './source-cache.js';

type SoundFormat = Pick<AudioSpec, 'sampleRate' | 'channels' | 'track'>;

/**
 * Decoded sound of fetched sources, each in its source's folder: decoded once, cut into many chunks, and removed with
 * the source.
 */
@Injectable()
export class AudioFiles {
  private readonly running = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(DECODER_CONFIG) private readonly limits: DecoderConfig,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
  ) {}

  /** The caller has to hold the source. Throws decoding errors, each time anew. */
  async of(
    file: { path: string; facts: MediaFacts },
    { sampleRate, channels, track }: SoundFormat,
    signal: AbortSignal,
  ): Promise<DecodedAudio> {
    const format = { sampleRate, channels, track };
    const name = `audio-${sampleRate}-${channels}${track === undefined ? '' : `-${track}`}`;
    const target = join(dirname(file.path), name);
    for (;;) {
      const stored = await storedAudio(target, format);
      if (stored !== null) return stored;
      signal.throwIfAborted();
      const others = this.running.get(target);
      if (others === undefined) return this.decode(file, format, target, signal);
      // The first caller may give up or fail: the next one then retries.
      await unlessAborted(
        others.catch(() => undefined),
        signal,
      );
    }
  }

  private async decode(
    { path, facts }: { path: string; facts: MediaFacts },
    format: SoundFormat,
    target: string,
    signal: AbortSignal,
  ): Promise<DecodedAudio> {
    const request = { path, facts, format, target, limits: this.limits, signal };
    const work = this.memory.admit(AUDIO_MEMORY, () => decodeAudio(request), signal);
    this.running.set(target, work);
    try {
      return await work;
    } finally {
      this.running.delete(target);
    }
  }
}
