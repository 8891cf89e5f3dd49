// A model of a known speed in place of the face models: 50 ms a frame, one frame after the other, and nobody is ever seen.
import { setTimeout as sleep } from 'node:timers/promises';
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';

/** Milliseconds. */
const FRAME = 50;

const faces = (await AnalysisRegistry.scan(analysesFolder)).get('faces');

export default {
  ...faces,
  models: [],
  async analyse({ packs: [pack] }, { signal }) {
    const sampled = [];
    for (const { frame, time } of pack.frames) {
      await sleep(FRAME, undefined, { signal });
      sampled.push({ frame, time });
    }
    return { sampled, tracks: [] };
  },
};
