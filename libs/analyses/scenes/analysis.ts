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
import { wordsLook } from './words.js';

const SceneArguments = z.strictObject({
  /** Frames of a film looked at in each second. */
  rate: frameRate(),
  /** Name of the classifier; left out, it is the one that is installed as `scenes`. */
  model: z.string().min(1).optional(),
  /** Pixels of the shorter side of a film's frames, where photos are looked at as they are; left out, 600 for both. */
  side: z.int().positive().optional(),
  /** With a model of images and text: what is looked for, and whether the labels of its model.yaml are looked for as well. */
  words: z.array(z.string()).optional(),
  presets: z.boolean().optional(),
});
type SceneArguments = z.infer<typeof SceneArguments>;

const DEFAULT_CLASSIFIER = 'scenes';
/** Frames under way at once: the next are decoded and shrunk while the network looks at the present one. */
const FRAMES_IN_FLIGHT = 3;
/** Best score from which a label is worth a picture. */
const PICTURED_FROM = 0.35;

/** Says what every sampled frame shows as a whole, with `scenes` or the classifier that a job names. See README.md. */
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
  const look =
    words === undefined
      ? (picture: RgbImage) => classify(picture, network)
      : await wordsLook(network, networkOf(networks, textEncoderOf(model)), { words, presets, signal });
  const looks = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return pack.look(index, look);
  });

  const keeper = new PictureKeeper(context.keepPicture, pack);
  const views = await ahead([...bestViews(looks)], 1, async ([label, { index }], id) => {
    signal.throwIfAborted();
    const thumbnail = await pack.look(index, (picture) => keeper.thumbnail(id, picture));
    return { label, frame: frameAt(pack, index).frame, thumbnail, picture: await keeper.keyFrame(index) };
  });
  return {
    sampled: pack.frames.map(({ frame, time }, index) => ({
      frame,
      time: Number(time.toFixed(6)),
      scenes: elementAt(looks, index).map(({ label, score }) => ({ label, score: Number(score.toFixed(4)) })),
    })),
    views,
  };
}

function networkOf(networks: AnalysisContext<unknown>['networks'], name: string): NetworkSession {
  const network = networks[name];
  if (!network) throw new RangeError(`The analysis scenes was given no network ${name}.`);
  return network;
}

/** By label, the frame that shows it best, in the order of frames; labels that are never likely are left out. */
function bestViews(looks: readonly Likely[]): Map<string, { index: number; score: number }> {
  const best = new Map<string, { index: number; score: number }>();
  for (const [index, look] of looks.entries()) {
    for (const { label, score } of look) {
      if (score >= Math.max(PICTURED_FROM, (best.get(label)?.score ?? 0) + 1e-6)) best.set(label, { index, score });
    }
  }
  return new Map([...best].sort(([, a], [, b]) => a.index - b.index));
}
