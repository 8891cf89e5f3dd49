import { defineAnalysis } from '@adit/inference';
import { z } from 'zod';
import { VoiceActivityObservations } from './observations.js';
import { SAMPLE_RATE, voiceIn } from './voice.js';

/** How likely somebody speaks, every 32 ms. */
export default defineAnalysis({
  name: 'voice-activity',
  family: 'speech',
  version: 1,
  args: z.strictObject({}),
  observations: VoiceActivityObservations,
  models: ['silero-vad'],
  // What was before tells speech from noise; a second is as good as all of it.
  input: { kind: 'audio', specs: () => [{ sampleRate: SAMPLE_RATE, channels: 1, overlapSeconds: 1 }] },
  async analyse({ packs: [pack] }, { networks, signal }) {
    if (!pack) throw new RangeError('The analysis voice-activity needs a pack of sound.');
    const { first, likely } = await voiceIn(
      networks['silero-vad'],
      pack,
      { settleFrom: pack.start, from: pack.ownStart, to: pack.ownEnd },
      signal,
    );
    return { first, percent: likely.map((value) => Math.round(value * 100)) };
  },
});
