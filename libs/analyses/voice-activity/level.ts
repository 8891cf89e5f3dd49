import type { AudioPack } from '@adit/inference';

const RATE = 16_000;
/** Steps in which loudness is measured, and how many of them are to be so loud: half a second of voice, and no click or door. */
const STEP = RATE / 10;
const STEPS = 5;
const decibels = (value: number): number => 10 ** (value / 20);
/** What is so loud is heard as it is. */
const LOUD = decibels(-33);
/** What is no louder is silence: the last bits of 16, or what a codec makes of nothing. */
const SILENT = decibels(-75);
/** As loud as people speak into a microphone. */
const WANTED = decibels(-22);
const MOST = decibels(50);

/**
 * A pack of 16 kHz in mono with all of it as much louder as makes what is heard in `from` to `to` as loud as people speak: networks
 * that are trained on such speech take quiet speech for noise. Loud sound stays as it is, and silence silent. The gain depends on
 * these samples alone, wherever the pack begins and ends.
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

/** 1 of loud sound and of silence. */
export function gainOf(samples: Float32Array): number {
  const loudness: number[] = [];
  for (let at = 0; at < samples.length; at += STEP) {
    const step = samples.subarray(at, at + STEP);
    loudness.push(Math.sqrt(step.reduce((sum, sample) => sum + sample * sample, 0) / STEP));
  }
  const level = loudness.sort((a, b) => b - a)[Math.min(STEPS, loudness.length) - 1] ?? 0;
  return level >= LOUD || !(level > SILENT) ? 1 : Math.min(WANTED / level, MOST);
}
