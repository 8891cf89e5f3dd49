import { floatTensor, outputNamed, type AudioPack, type NetworkSession } from '@adit/inference';
import { z } from 'zod';

/** Sound track as in an AudioSpec; by default the first that is not silent. */
export const SoundTrack = z.string().max(35).optional();

/** Input of the network: 16 kHz in mono, frame by frame, each with the end of the one before. */
export const SAMPLE_RATE = 16_000;
export const FRAME_SAMPLES = 512;
const BEFORE = 64;
const INPUT_SAMPLES = BEFORE + FRAME_SAMPLES;
const STATE = [2, 1, 128] as const;
/** Frames of one run: 9 s, 8 ms of work. */
const PIECE = 288;

/**
 * Returns the probability of speech, 0..1, in each frame of a 16 kHz mono pack that begins in `from` to `to`. Frames
 * are counted from the source's start; those from `settleFrom` on settle the network first.
 */
export async function voiceIn(
  network: NetworkSession,
  pack: AudioPack,
  { settleFrom, from, to }: { settleFrom: number; from: number; to: number },
  signal: AbortSignal,
): Promise<{ first: number; likely: number[] }> {
  const first = Math.ceil(from / FRAME_SAMPLES);
  const end = Math.ceil(to / FRAME_SAMPLES);
  const likely: number[] = [];
  let before: Float32Array = new Float32Array(2 * 128);
  let tail = new Float32Array(BEFORE);
  const sequence = network.sequence();
  try {
    for (let frame = Math.ceil(settleFrom / FRAME_SAMPLES); frame < end;) {
      signal.throwIfAborted();
      const count = Math.min(PIECE, end - frame);
      const start = frame * FRAME_SAMPLES;
      // The end of the sound is padded with silence.
      const samples = new Float32Array(BEFORE + count * FRAME_SAMPLES);
      samples.set(tail);
      samples.set(await pack.samples(start, Math.min(start + count * FRAME_SAMPLES, pack.end)), BEFORE);
      tail = samples.slice(-BEFORE);
      const frames = new Float32Array(count * INPUT_SAMPLES);
      for (let i = 0; i < count; i++) {
        frames.set(samples.subarray(i * FRAME_SAMPLES, i * FRAME_SAMPLES + INPUT_SAMPLES), i * INPUT_SAMPLES);
      }
      const { wanted } = await sequence.run(
        network,
        { frames: floatTensor(frames, [count, 1, INPUT_SAMPLES]), before: floatTensor(before, STATE) },
        { wanted: ['likely', 'after'] },
      );
      before = outputNamed(wanted, 'after').data;
      likely.push(...Array.from(outputNamed(wanted, 'likely').data).slice(Math.max(0, first - frame)));
      frame += count;
    }
    return { first, likely };
  } finally {
    await sequence.end();
  }
}
