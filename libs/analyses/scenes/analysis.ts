import { elementAt } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  framesFor,
  type AnalysisContext,
  type AnalysisInput,
  type NetworkSession,
  type RgbImage,
} from '@adit/inference';
import { textEncoderOf } from '@adit/inference/families/image-text/similarity';
import { z } from 'zod';
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { compareScenes } from './compare.js';
import { classify, type Likely } from './classify.js';
import { SceneObservations } from './observations.js';
import { wordScorer } from './words.js';

const SceneArguments = z.strictObject({
  /** Analysed frames per second of a film. */
  rate: frameRate(),
  /** Name of the classifier; when omitted, the one installed as `scenes`. */
  model: z.string().min(1).optional(),
  /** Pixels of the shorter side of a film's frames, while photos keep their size; when omitted, 600 for both. */
  side: z.int().positive().optional(),
  /** Search words for an image-text model, and whether its model.yaml's labels are searched as well. */
  words: z.array(z.string()).optional(),
  presets: z.boolean().optional(),
});
type SceneArguments = z.infer<typeof SceneArguments>;

const DEFAULT_CLASSIFIER = 'scenes';
/** Concurrent frames: the next ones are decoded and scaled while the network processes the current one. */
const FRAMES_IN_FLIGHT = 3;
/** Best score from which a label gets a picture. */
const PICTURED_FROM = 0.35;

/** Classifies every sampled frame as a whole, with `scenes` or the classifier that a job names. See README.md. */
export default defineAnalysis({
  name: 'scenes',
  family: 'object',
  version: 3,
  args: SceneArguments,
  observations: SceneObservations,
  models: ({ model = DEFAULT_CLASSIFIER, words }) => (words === undefined ? [model] : [model, textEncoderOf(model)]),
  input: { kind: 'frames', specs: ({ rate, side }) => [framesFor(rate, side)] },
  analyse,
  compare: compareScenes,
});

async function analyse(input: AnalysisInput, context: AnalysisContext<SceneArguments>): Promise<SceneObservations> {
  const { networks, signal } = context;
  const { model = DEFAULT_CLASSIFIER, words, presets = false } = context.args;
  const network = networkOf(networks, model);
  const [pack] = input.packs;
  if (!pack) throw new RangeError('The analysis scenes needs a pack of frames.');
  const scoresOf =
    words === undefined
      ? (picture: RgbImage) => classify(picture, network)
      : await wordScorer(network, networkOf(networks, textEncoderOf(model)), { words, presets, signal });
  const classified = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return pack.withPicture(index, scoresOf);
  });

  const keeper = new PictureKeeper(context.keepPicture, pack);
  const views = await ahead([...bestViews(classified)], 1, async ([label, { index }], id) => {
    signal.throwIfAborted();
    const thumbnail = await pack.withPicture(index, (picture) => keeper.thumbnail(id, picture));
    return { label, frame: frameAt(pack, index).frame, thumbnail, picture: await keeper.keyFrame(index) };
  });
  return {
    sampled: pack.frames.map(({ frame, time }, index) => ({
      frame,
      time: Number(time.toFixed(6)),
      scenes: elementAt(classified, index).map(({ label, score }) => ({ label, score: Number(score.toFixed(4)) })),
    })),
    views,
  };
}

function networkOf(networks: AnalysisContext<unknown>['networks'], name: string): NetworkSession {
  const network = networks[name];
  if (!network) throw new RangeError(`The analysis scenes was given no network ${name}.`);
  return network;
}

/** Returns for each label the frame that shows it best, in the order of frames, without unlikely labels. */
function bestViews(classified: readonly Likely[]): Map<string, { index: number; score: number }> {
  const best = new Map<string, { index: number; score: number }>();
  for (const [index, labels] of classified.entries()) {
    for (const { label, score } of labels) {
      if (score >= Math.max(PICTURED_FROM, (best.get(label)?.score ?? 0) + 1e-6)) best.set(label, { index, score });
    }
  }
  return new Map([...best].sort(([, a], [, b]) => a.index - b.index));
}
