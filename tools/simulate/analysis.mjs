// One analysis and one module that reads it: observations are small, and everything else is done as for real ones.
import { AnalysisRegistry, analysisDigest, identityOf } from '@adit/inference';
import { defineModule } from '@adit/module-kit';
import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';

const definition = {
  name: 'faces',
  family: 'face',
  version: 1,
  args: z.object({}),
  observations: z.object({}),
  models: [],
  input: { kind: 'frames', specs: () => [] },
  analyse: () => Promise.reject(new Error('The simulated runner answers.')),
};

export const analyses = AnalysisRegistry.of([definition]);
const identity = identityOf(definition, {}, []);

/** As the gateway resolves it for a job. */
export const resolved = { ...identity, family: 'face', digest: analysisDigest(identity) };

/** One segment for each chunk. */
export const module = defineModule({
  id: 'face_recognition',
  version: 1,
  args: StandardArguments,
  media: ['image', 'video'],
  needs: () => [{ analysis: 'faces', args: {} }],
  open: () =>
    Promise.resolve({
      start: () => 0,
      fold: (state, { unit: { sourceIndex } }) => ({ state: state + 1, segments: [segment(sourceIndex, state)] }),
      close: () => ({ segments: [], summaries: [] }),
    }),
});

function segment(sourceIndex, at) {
  return {
    ...{ sourceIndex, frameStart: at, frameEnd: at, timeStart: at, timeEnd: at },
    ...{ type: 'unit', label: `unit ${at}`, confidence: 1, meta: { label: `unit ${at}` } },
    ...{ detections: [], thumbnail: null, keyFrame: null },
  };
}
