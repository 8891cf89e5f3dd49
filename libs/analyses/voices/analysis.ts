import {
  defineAnalysis,
  floatTensor,
  GRID_MARGIN_SECONDS,
  outputNamed,
  type AudioPack,
  type NetworkSession,
} from '@adit/inference';
import { z } from 'zod';
import { encodeDirection } from '../image-embedding/vector-code.js';
import { levelled } from '../voice-activity/level.js';
import { FRAME_SAMPLES, SAMPLE_RATE, SoundTrack, voiceIn } from '../voice-activity/voice.js';
import { HOP_SECONDS, VoicesObservations, WINDOW_SECONDS } from './observations.js';

const HOP = HOP_SECONDS * SAMPLE_RATE;
const WINDOW = WINDOW_SECONDS * SAMPLE_RATE;
/**
 * Windows that are evaluated together, counted from the source's start, so that a window's result is the same in any
 * chunk.
 */
const BLOCK = 8;
/** Seconds of sound before a block that settle the voice detector. */
const SETTLE_SECONDS = 1;
/** Probability of speech in a frame, and the share of a window's frames that is enough. */
const LIKELY = 0.5;
const ENOUGH = 0.5;
/** Least share of sound in the last window of a recording; the rest is padded with silence. */
const MIN_LAST_WINDOW = 0.75;

/** Embeds voices every 0.8 s, where somebody speaks. */
export default defineAnalysis({
  name: 'voices',
  family: 'speech',
  version: 2,
  args: z.strictObject({ track: SoundTrack }),
  observations: VoicesObservations,
  models: ['resemblyzer', 'silero-vad'],
  // The same input as the analysis speech, so that they share a pack; a block with its settling time and last window
  // needs 9 s.
  input: {
    kind: 'audio',
    specs: ({ track }) => [
      { sampleRate: SAMPLE_RATE, channels: 1, overlapSeconds: GRID_MARGIN_SECONDS + SETTLE_SECONDS, track },
    ],
  },
  async analyse({ packs: [pack] }, { networks, signal }) {
    if (!pack) throw new RangeError('The analysis voices needs a pack of sound.');
    const first = Math.ceil(pack.ownStart / HOP);
    const end = Math.min(Math.ceil(pack.ownEnd / HOP), Math.floor((pack.end - MIN_LAST_WINDOW * WINDOW) / HOP) + 1);
    const windows: VoicesObservations['windows'] = [];
    for (let block = Math.floor(first / BLOCK) * BLOCK; block < end; block += BLOCK) {
      const from = block * HOP;
      const interval = { from, to: Math.min(from + (BLOCK - 1) * HOP + WINDOW, pack.end) };
      const settleFrom = Math.max(0, from - SETTLE_SECONDS * SAMPLE_RATE);
      const loud = await levelled(pack, interval);
      const voice = await voiceIn(networks['silero-vad'], loud, { settleFrom, ...interval }, signal);
      const spoken: number[] = [];
      for (let index = Math.max(first, block); index < Math.min(end, block + BLOCK); index++) {
        if (voicedShare(voice, index * HOP) >= ENOUGH) spoken.push(index);
      }
      // The windows of a block may share a run.
      windows.push(...(await Promise.all(spoken.map((index) => voiceAt(networks.resemblyzer, loud, index)))));
    }
    return { windows };
  },
});

/** Returns the share of voiced frames among those that begin in a window. */
function voicedShare({ first, likely }: { first: number; likely: readonly number[] }, from: number): number {
  const frame = (sample: number): number => Math.max(0, Math.ceil(sample / FRAME_SAMPLES) - first);
  const frames = likely.slice(frame(from), frame(from + WINDOW));
  return frames.filter((value) => value >= LIKELY).length / Math.max(1, frames.length);
}

async function voiceAt(
  network: NetworkSession,
  pack: AudioPack,
  index: number,
): Promise<VoicesObservations['windows'][number]> {
  const from = index * HOP;
  const sound = new Float32Array(WINDOW);
  sound.set(await pack.samples(from, Math.min(from + WINDOW, pack.end)));
  const answer = await network.run({ sound: floatTensor(sound, [WINDOW]) });
  return { index, voice: encodeDirection(outputNamed(answer, 'embedding').data) };
}
