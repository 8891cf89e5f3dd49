import { defineAnalysis } from '@adit/inference';
import { z } from 'zod';
import { levelled } from './level.js';
import { FRAME_SECONDS, VoiceActivityObservations } from './observations.js';
import { FRAME_SAMPLES, SAMPLE_RATE, SoundTrack, voiceIn } from './voice.js';

/**
 * Frames that are evaluated together, counted from the source's start, and frames before them that settle the network,
 * which needs about a second to tell speech from noise. A frame's value is thus the same in any chunk.
 */
const BLOCK = 256;
const SETTLE = 32;

/** Returns the probability of speech every 32 ms. */
export default defineAnalysis({
  name: 'voice-activity',
  family: 'speech',
  version: 3,
  args: z.strictObject({ track: SoundTrack }),
  observations: VoiceActivityObservations,
  models: ['silero-vad'],
  input: {
    kind: 'audio',
    specs: ({ track }) => [
      { sampleRate: SAMPLE_RATE, channels: 1, overlapSeconds: (BLOCK + SETTLE) * FRAME_SECONDS, track },
    ],
  },
  async analyse({ packs: [pack] }, { networks, signal }) {
    if (!pack) throw new RangeError('The analysis voice-activity needs a pack of sound.');
    const first = Math.ceil(pack.ownStart / FRAME_SAMPLES);
    const end = Math.ceil(pack.ownEnd / FRAME_SAMPLES);
    const percent: number[] = [];
    for (let block = Math.floor(first / BLOCK) * BLOCK; block < end; block += BLOCK) {
      const interval = { from: block * FRAME_SAMPLES, to: Math.min((block + BLOCK) * FRAME_SAMPLES, pack.end) };
      const settleFrom = Math.max(0, block - SETTLE) * FRAME_SAMPLES;
      const loud = await levelled(pack, interval);
      const { likely } = await voiceIn(networks['silero-vad'], loud, { settleFrom, ...interval }, signal);
      const own = likely.slice(Math.max(0, first - block), end - block);
      percent.push(...own.map((value) => Math.round(value * 100)));
    }
    return { first, percent };
  },
});
