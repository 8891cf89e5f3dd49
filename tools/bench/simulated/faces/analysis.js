// A model of a known speed in place of the face models: 50 ms a frame, one frame after the other, and nobody is ever seen.
// Its networks stay those of the analysis: a job asks for what the gateway knows, and another build's work is left to that.
import { setTimeout as sleep } from 'node:timers/promises';
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';

/** Milliseconds. */
const FRAME = 50;

const faces = (await AnalysisRegistry.scan(analysesFolder)).get('faces');

export default {
  ...faces,
  async analyse({ packs: [pack] }, { signal }) {
    const sampled = [];
    for (const { frame, time } of pack.frames) {
      await sleep(FRAME, undefined, { signal });
      sampled.push({ frame, time });
    }
    return { sampled, tracks: [] };
  },
};
