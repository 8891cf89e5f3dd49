import type { AudioPack } from '@adit/inference';

const RATE = 16_000;
/**
 * Length of a loudness step, and the number of steps that have to be loud: half a second of voice, rather than a click
 * or a door.
 */
const STEP = RATE / 10;
const STEPS = 5;
const decibels = (value: number): number => 10 ** (value / 20);
/** Level from which sound stays unchanged. */
const LOUD = decibels(-33);
/** Level up to which sound is silence: the last bits of 16, or codec noise. */
const SILENT = decibels(-75);
/** Usual level of speech into a microphone. */
const WANTED = decibels(-22);
const MAX_GAIN = decibels(50);

/**
 * Returns a 16 kHz mono pack amplified so that the span `from` to `to` has the level of usual speech, since networks
 * trained on it take quiet speech for noise. Loud sound and silence stay unchanged. The gain depends on these samples
 * alone, wherever the pack begins and ends.
 */
export async function levelled(pack: AudioPack, { from, to }: { from: number; to: number }): Promise<AudioPack> {
  const gain = gainOf(await pack.samples(Math.max(from, pack.start), Math.min(to, pack.end)));
  if (gain === 1) return pack;
  return {
    ...pack,
    samples: async (start, end) => {
      const samples = await pack.samples(start, end);
      return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
    },
  };
}

/** Returns the gain; 1 for loud sound and for silence. */
export function gainOf(samples: Float32Array): number {
  const loudness: number[] = [];
  for (let at = 0; at < samples.length; at += STEP) {
    const step = samples.subarray(at, at + STEP);
    loudness.push(Math.sqrt(step.reduce((sum, sample) => sum + sample * sample, 0) / STEP));
  }
  const level = loudness.sort((a, b) => b - a)[Math.min(STEPS, loudness.length) - 1] ?? 0;
  return level >= LOUD || !(level > SILENT) ? 1 : Math.min(WANTED / level, MAX_GAIN);
}
